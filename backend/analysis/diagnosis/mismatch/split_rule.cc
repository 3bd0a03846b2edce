#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"
#include "analysis/diagnosis/job_state/split_matrix.h"
#include "analysis/diagnosis/mismatch/mismatch_rules.h"
#include "analysis/reading/stream_loader.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

// The elements that one member sends and receives, indexed by the other's group
// rank.
struct Splits {
  std::uint32_t rank = 0;
  std::vector<std::int64_t> sends;
  std::vector<std::int64_t> receives;
};

using Matrix = std::vector<Splits>;

struct Disagreement {
  std::size_t from = 0;
  std::size_t to = 0;
};

std::vector<std::int64_t> elementsOf(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors,
    std::size_t most) {
  std::vector<std::int64_t> elements;
  for (const v1::TensorRun& run : tensors) {
    std::uint64_t product = 1;
    for (const std::int64_t size : run.shape()) {
      product *= static_cast<std::uint64_t>(size);
    }
    const std::uint32_t count = std::max(run.count(), 1U);
    for (std::uint32_t i = 0; i < count && elements.size() < most; ++i) {
      elements.push_back(static_cast<std::int64_t>(product));
    }
  }
  return elements;
}

// Without explicit splits, dimension 0 is split evenly.
std::vector<std::int64_t> splitsOf(
    const google::protobuf::RepeatedField<std::int64_t>& given,
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors,
    std::size_t members) {
  if (!given.empty()) return {given.begin(), given.end()};
  const bool known = !tensors.empty() && !tensors[0].shape().empty();
  const std::int64_t rows = known ? tensors[0].shape(0) : 0;
  return std::vector<std::int64_t>(members,
                                   rows / static_cast<std::int64_t>(members));
}

Splits splitsOn(const v1::Call& call, std::uint32_t rank, std::size_t members) {
  if (call.op() == v1::OPERATION_ALL_TO_ALL) {
    return {rank, elementsOf(call.input(), members),
            elementsOf(call.output(), members)};
  }
  return {rank, splitsOf(call.split_in(), call.input(), members),
          splitsOf(call.split_out(), call.output(), members)};
}

bool isAllToAll(v1::Operation op) {
  return op == v1::OPERATION_ALL_TO_ALL ||
         op == v1::OPERATION_ALL_TO_ALL_SINGLE;
}

const v1::Call* callOf(const StreamTable& table, std::uint32_t local_group,
                       std::uint64_t seq) {
  for (const AssembledOperation& op : table.operations) {
    if (op.seq != seq) continue;
    const v1::Call* call = table.callOf(op);
    const bool is_it = call && table.groupOf(*call) == local_group &&
                       !isPointToPoint(call->op());
    if (is_it) return call;
  }
  return nullptr;
}

// Reads the splits of a collective, indexed by group rank. Rows of members
// without a record, or with another operation, are empty.
Matrix readMatrix(const JobState& job, const TraceSet& set, std::uint32_t group,
                  std::uint64_t seq) {
  const JobGroup& wanted = job.catalog.groups()[group];
  Matrix matrix(wanted.members.size());
  StreamLoader loader(set);
  for (const std::size_t i : set.selected) {
    const std::uint32_t rank = set.streams[i].header.rank();
    if (!job.groups[group].collectives.member(rank)) continue;
    const StreamTable table = loader.load(set.streams[i]);
    const auto& groups = table.definitions.groups();
    for (std::uint32_t local = 0; local < groups.size(); ++local) {
      if (groups[local].members != wanted.members ||
          groups[local].leg != wanted.leg || groups[local].nth != wanted.nth) {
        continue;
      }
      const v1::Call* call = callOf(table, local, seq);
      if (!call || !isAllToAll(call->op())) continue;
      if (groups[local].group_rank >= matrix.size()) continue;
      matrix[groups[local].group_rank] = splitsOn(*call, rank, matrix.size());
    }
  }
  return matrix;
}

std::vector<Disagreement> disagreements(const Matrix& matrix) {
  std::vector<Disagreement> all;
  for (std::size_t from = 0; from < matrix.size(); ++from) {
    for (std::size_t to = 0; to < matrix.size(); ++to) {
      const bool both_known =
          matrix[from].sends.size() > to && matrix[to].receives.size() > from;
      if (both_known && matrix[from].sends[to] != matrix[to].receives[from]) {
        all.push_back({from, to});
      }
    }
  }
  return all;
}

// Returns the ranks that take part in all disagreements. If none does, returns
// every rank that takes part in one.
std::vector<std::uint32_t> oddOnes(const Matrix& matrix,
                                   const std::vector<Disagreement>& all) {
  absl::btree_map<std::size_t, std::size_t> parts;
  for (const Disagreement& d : all) {
    ++parts[d.from];
    if (d.to != d.from) ++parts[d.to];
  }
  std::vector<std::uint32_t> ranks;
  for (const auto& [member, count] : parts) {
    if (count == all.size()) ranks.push_back(matrix[member].rank);
  }
  if (ranks.empty()) {
    for (const auto& [member, count] : parts) {
      ranks.push_back(matrix[member].rank);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

JobVerdict splitVerdict(const JobState& job, std::uint32_t group,
                        std::uint64_t seq, const Matrix& matrix) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kSplitMismatch;
  verdict.group = group;
  verdict.seq = seq;
  verdict.op = nameOf(
      job.signatures.at(job.groups[group].collectives.signatureOf(seq)).op);
  const std::vector<Disagreement> all = disagreements(matrix);
  verdict.ranks = verdict.culprits = oddOnes(matrix, all);
  verdict.summary = {SplitsDisagree{{verdict.op, group, seq}}};
  for (std::size_t i = 0; i < all.size() && i < 6; ++i) {
    const Splits& from = matrix[all[i].from];
    const Splits& to = matrix[all[i].to];
    verdict.reasons.push_back(SplitOf{from.rank, from.sends[all[i].to], to.rank,
                                      to.receives[all[i].from]});
  }
  const bool clear = verdict.culprits.size() == 1;
  verdict.finding = Confidence::kCertain;
  verdict.culprit = clear ? Confidence::kLikely : Confidence::kUndecided;
  if (!clear) verdict.reasons.push_back(PlainFact::kTwoCannotOutvote);
  const std::vector<std::uint32_t> absent = job.membersOf(group).absent;
  if (!absent.empty()) {
    verdict.reasons.push_back(NoTrace{absent});
    if (!clear) verdict.culprits.clear();
  }
  verdict.advice.push_back(AskSplitSizes{verdict.ranks});
  return verdict;
}

// Returns whether the ranks may disagree: the sum is not 0, or some members
// gave no splits. Reading the traces decides.
bool isSuspect(const JobState& job, std::uint32_t group, std::uint64_t seq,
               const SplitSum& splits) {
  const bool all = splits.givers == job.catalog.groups()[group].members.size();
  return (!all || splits.sum != 0) &&
         job.groups[group].collectives.severalJoined(seq);
}

// Returns the first and last few suspects, because each requires another pass
// over the traces. A job rarely continues after such a mismatch.
std::vector<std::uint64_t> suspectsOf(const JobState& job,
                                      std::uint32_t group) {
  constexpr std::size_t kMaxSuspects = 4;
  std::vector<std::uint64_t> suspects;
  job.groups[group].collectives.splits().forEach(
      [&](std::uint64_t seq, const SplitSum& splits) {
        if (!isSuspect(job, group, seq, splits)) return;
        if (suspects.size() == 2 * kMaxSuspects) {
          suspects.erase(suspects.begin() + kMaxSuspects);
        }
        suspects.push_back(seq);
      });
  return suspects;
}

}  // namespace

std::vector<JobVerdict> findSplitMismatches(const JobState& job,
                                            const TraceSet& set) {
  std::vector<JobVerdict> verdicts;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    for (const std::uint64_t seq : suspectsOf(job, group)) {
      const Matrix matrix = readMatrix(job, set, group, seq);
      if (disagreements(matrix).empty()) continue;
      verdicts.push_back(splitVerdict(job, group, seq, matrix));
      break;
    }
  }
  return verdicts;
}

}  // namespace traced
