// Writes the traces of a synthetic job of any width with at most one fault, to
// measure the analysis at scale.
//
//   make_traces DIR RANKS OPERATIONS [FAULT RANK AT]
//
// Each rank has OPERATIONS operations in a repeating pattern: all_reduces of
// all ranks, and reduce-scatters and all-gathers of groups of 8.
//
// FAULT is one of size, wrong_op, never_joined, left_early, straggler,
// slow_peer, no_message and no_receive. It affects RANK from its operation AT
// on (size and wrong_op: only that operation).
//
// A slow peer slows down every reduce-scatter of its group of 8. With
// no_message, all ranks but RANK wait for a message from the next rank at AT.
// With no_receive, they send one that nobody receives.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ring_io/settings/options.h"
#include "support/stream_builder.h"
#include "support/write_file.h"

namespace {

using namespace traced;
using namespace traced::testing;

constexpr std::int64_t kIntervalNs = 400'000;
constexpr std::int64_t kTookNs = 150'000;
constexpr std::int64_t kNoiseNs = 20'000;
constexpr std::int64_t kSlowerNs = 1'300'000;
constexpr std::int64_t kHangNs = 60'000'000'000;
constexpr std::uint32_t kGroupSize = 8;
constexpr std::uint32_t kMessage = 6;
constexpr std::uint64_t kChunkOperations = 16384;

struct Job {
  std::string directory;
  std::uint32_t ranks = 0;
  std::uint64_t operations = 0;
  std::string fault;
  std::uint32_t culprit = 0;
  std::uint64_t at = 0;
};

// Returns repeatable noise in [0, below).
std::int64_t noise(std::uint64_t rank, std::uint64_t i, std::int64_t below) {
  std::uint64_t x = rank * 0x9E3779B97F4A7C15ULL + i + 1;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<std::int64_t>((x ^ (x >> 31)) %
                                   static_cast<std::uint64_t>(below));
}

class RankWriter {
 public:
  RankWriter(const Job& job, std::uint32_t rank)
      : job_(job),
        rank_(rank),
        is_culprit_(!job.fault.empty() && rank == job.culprit),
        in_slow_group_(job.fault == "slow_peer" &&
                       rank / kGroupSize == job.culprit / kGroupSize),
        stream_(rank, job.ranks) {
    fillHeader();
    stream_.addGroup("world", 0, job.ranks).set_group_rank(rank);
    const std::uint32_t first = rank / kGroupSize * kGroupSize;
    v1::Group& shard = stream_.addGroup(
        "shard", first, std::min(kGroupSize, job.ranks - first));
    shard.set_group_rank(rank - first);
    // In a small job this group has the same members as the other.
    shard.set_nth(job.ranks <= kGroupSize ? 1 : 0);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 20, 1 << 20);
    stream_.addCall(v1::OPERATION_REDUCE_SCATTER_TENSOR, 2, 8 << 20, 1 << 20);
    stream_.addCall(v1::OPERATION_ALL_GATHER_INTO_TENSOR, 2, 1 << 20, 8 << 20);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 19, 1 << 19);
    stream_.addCall(v1::OPERATION_BROADCAST, 1, 1 << 20, 1 << 20);
    if (hasMessages()) {
      const bool sends = job.fault == "no_receive";
      stream_
          .addCall(sends ? v1::OPERATION_SEND : v1::OPERATION_RECV, 1, 1 << 20,
                   1 << 20)
          .set_peer_global_plus_1((rank + 1) % job.ranks + 1);
    }
    for (v1::Call& call : *stream_.payload().mutable_call()) {
      call.set_async(false);
    }
  }

  void write() {
    std::string bytes;
    std::uint64_t i = 0;
    for (; i < job_.operations && !stopsAt(i); ++i) {
      issue(i);
      if (i % kChunkOperations == kChunkOperations - 1) {
        bytes += stream_.takeChunk();
      }
    }
    if (hasMessages() && !is_culprit_) hangIn(i, kMessage, 1);
    const bool hangs = job_.fault == "never_joined" && !is_culprit_;
    const bool alone = job_.fault == "left_early" && !is_culprit_;
    if (hangs || alone) {
      const bool is_last = i < job_.operations;
      if (is_last) hangIn(i, callOf(i), seqOf(i));
    }
    if (leavesOpen()) {
      stream_.addStep(10 * i + 9, at(i) + kHangNs, 0);
    }
    bytes += stream_.takeChunk(!leavesOpen() && !alone);
    // Each folder has 1000 files.
    writeFile(job_.directory + "/" + std::to_string(rank_ / 1000) + "/rank-" +
                  std::to_string(rank_) + ".traced",
              bytes);
  }

 private:
  // Fills the header to the size that a recorder writes. Each node has its own
  // clock.
  void fillHeader() {
    v1::Header& header = stream_.header();
    const std::string node = std::to_string(rank_ / kGroupSize);
    header.set_host("node-" + node);
    header.set_boot_id("7d3f6a0e-52c1-4b8e-9f60-" +
                       std::string(12 - node.size(), '0') + node);
    header.set_pid_namespace(4026531836);
    v1::Rendezvous& rendezvous = *header.mutable_rendezvous();
    rendezvous.set_address("node-0");
    rendezvous.set_port(29500);
    rendezvous.set_run_id("none");
    rendezvous.set_launcher("torchrun");
    for (const auto& [name, value] : Options().asSettings()) {
      (*header.mutable_settings())[name] = value;
    }
  }

  // Returns whether all ranks stop at operation `i` because the faulty one
  // does.
  bool stopsAt(std::uint64_t i) const {
    const bool is_stuck =
        job_.fault == "never_joined" || job_.fault == "left_early";
    return (is_stuck && i >= job_.at && i % 4 == 0) ||
           (hasMessages() && i >= job_.at);
  }

  // Returns whether the traces end while the job hangs.
  bool leavesOpen() const {
    return job_.fault == "never_joined" || hasMessages();
  }

  bool hasMessages() const {
    return job_.fault == "no_message" || job_.fault == "no_receive";
  }

  std::int64_t at(std::uint64_t i) const {
    return StreamBuilder::kIssueNs + static_cast<std::int64_t>(i) * kIntervalNs;
  }

  std::uint32_t callOf(std::uint64_t i) const {
    constexpr std::uint32_t kCalls[] = {1, 2, 3, 3};
    if (!is_culprit_ || i != job_.at) return kCalls[i % 4];
    if (job_.fault == "size") return 4;
    if (job_.fault == "wrong_op") return 5;
    return kCalls[i % 4];
  }

  std::uint64_t seqOf(std::uint64_t i) {
    return i % 4 == 0 ? ++world_seq_ : ++shard_seq_;
  }

  void issue(std::uint64_t i) {
    std::int64_t issue_ns = at(i) + noise(rank_, i, kNoiseNs);
    if (is_culprit_ && job_.fault == "straggler" && i >= job_.at) {
      issue_ns += kIntervalNs / 2 * 8;
    }
    const std::uint64_t id = 10 * i + 1;
    stream_.add(IssueRow{
        .op = id, .issue_ns = issue_ns, .call = callOf(i), .seq = seqOf(i)});
    stream_.add(ReturnRow{.op = id, .return_ns = issue_ns + 12'000});
    stream_.add(WaitRow{.op = id,
                        .wait_begin_ns = issue_ns + 15'000,
                        .wait_ns = static_cast<std::uint64_t>(tookNs(i)),
                        .saw_end = 1});
    stream_.add(ReleaseRow{
        .op = id, .release_ns = issue_ns + kTookNs + kNoiseNs + 16'000});
  }

  std::int64_t tookNs(std::uint64_t i) const {
    const bool slow = in_slow_group_ && i >= job_.at && i % 4 == 1;
    return kTookNs + noise(rank_, i + job_.operations, kNoiseNs) +
           (slow ? kSlowerNs : 0);
  }

  void hangIn(std::uint64_t i, std::uint32_t call, std::uint64_t seq) {
    stream_.add(IssueRow{
        .op = 10 * i + 1, .issue_ns = at(i), .call = call, .seq = seq});
    stream_.add(ReturnRow{.op = 10 * i + 1, .return_ns = at(i) + 12'000});
  }

  const Job& job_;
  const std::uint32_t rank_;
  const bool is_culprit_;
  const bool in_slow_group_;
  StreamBuilder stream_;
  std::uint64_t world_seq_ = 0;
  std::uint64_t shard_seq_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 7) {
    std::fprintf(stderr, "usage: %s DIR RANKS OPERATIONS [FAULT RANK AT]\n",
                 argv[0]);
    return 2;
  }
  Job job;
  job.directory = argv[1];
  job.ranks = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  job.operations = std::strtoull(argv[3], nullptr, 10);
  if (argc == 7) {
    job.fault = argv[4];
    job.culprit =
        static_cast<std::uint32_t>(std::strtoul(argv[5], nullptr, 10));
    job.at = std::strtoull(argv[6], nullptr, 10);
  }
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    RankWriter(job, rank).write();
  }
}
