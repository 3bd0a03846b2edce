#include "analysis/reading/stream_reader.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/reading/stream_loader.h"
#include "base/threads.h"

namespace traced {
namespace {

// Each lane has its own allowance and loads its streams in order. What is
// refused thus does not depend on the number of threads.
constexpr std::size_t kLanes = 8;

// Memory limit for the tables of large streams that are loaded at once.
constexpr std::uint64_t kTableBytes = std::uint64_t{512} << 20;

// Small streams are loaded in bunches, because waiting for a turn takes as long
// as loading some of them.
constexpr std::uint64_t kBunchStreams = 32;
constexpr std::uint64_t kBunchBytes = std::uint64_t{4} << 20;

// Estimates the table size of the largest stream, in bytes.
std::uint64_t tableBytes(const TraceSet& set,
                         const std::vector<std::size_t>& streams) {
  std::uint64_t positions = 0;
  std::uint64_t dump_bytes = 0;
  for (const std::size_t i : streams) {
    const TraceStream& stream = set.streams[i];
    if (stream.dump_file) {
      dump_bytes = std::max(dump_bytes, set.files[*stream.dump_file].bytes);
    }
    const std::vector<ChunkRef>& chunks = stream.chunks;
    if (chunks.empty()) continue;
    positions = std::max(
        positions, chunks.back().end_position - chunks.front().first_position);
  }
  // An operation takes at least two positions of the ring.
  return 1 + std::max(dump_bytes, positions / 2 * sizeof(AssembledOperation));
}

std::size_t bunchOf(const TraceSet& set,
                    const std::vector<std::size_t>& streams) {
  const std::uint64_t fit = kBunchBytes / tableBytes(set, streams);
  const std::uint64_t fair = streams.size() / (4 * kLanes);
  return std::clamp<std::uint64_t>(std::min(fit, fair), 1, kBunchStreams);
}

// Each thread loads every n-th bunch of streams and works on it. The remaining
// functions run in order, one at a time.
class StreamReader {
 public:
  StreamReader(const TraceSet& set, const std::vector<std::size_t>& streams,
               const WorkOnStream& work)
      : set_(set),
        streams_(streams),
        work_(work),
        bunch_(bunchOf(set, streams)) {}

  void read(std::size_t threads) {
    inThreads(threads, [&](std::size_t i) { readEvery(threads, i); });
  }

 private:
  void readEvery(std::size_t threads, std::size_t first) {
    try {
      StreamLoader loader(set_);
      std::vector<StreamTable> tables;
      std::vector<std::function<void()>> left;
      for (std::size_t i = 0; i * bunch_ < streams_.size(); ++i) {
        const std::size_t lane = i % kLanes;
        if (lane % threads != first) continue;
        load(loader, i, allowances_[lane], tables);
        left.clear();
        for (std::size_t j = 0; j < tables.size(); ++j) {
          left.push_back(work_(first, streams_[i * bunch_ + j], tables[j]));
        }
        if (!finish(i, left)) return;
        for (StreamTable& table : tables) loader.recycle(std::move(table));
      }
    } catch (...) {
      giveUp();
      throw;
    }
  }

  void load(StreamLoader& loader, std::size_t bunch, Allowance& allowance,
            std::vector<StreamTable>& tables) const {
    tables.clear();
    const std::size_t begin = bunch * bunch_;
    const std::size_t end = std::min(begin + bunch_, streams_.size());
    for (std::size_t i = begin; i < end; ++i) {
      const TraceStream& stream = set_.streams[streams_[i]];
      tables.push_back(loader.load(stream, allowance));
    }
  }

  // Runs the remaining functions when it is the bunch's turn. Returns false if
  // another thread failed.
  bool finish(std::size_t bunch,
              const std::vector<std::function<void()>>& left) {
    std::unique_lock lock(mutex_);
    turn_came_.wait(lock, [&] { return turn_ == bunch || gave_up_; });
    if (gave_up_) return false;
    for (const std::function<void()>& rest : left) rest();
    ++turn_;
    turn_came_.notify_all();
    return true;
  }

  void giveUp() {
    const std::lock_guard lock(mutex_);
    gave_up_ = true;
    turn_came_.notify_all();
  }

  const TraceSet& set_;
  const std::vector<std::size_t>& streams_;
  const WorkOnStream& work_;
  const std::size_t bunch_;
  std::array<Allowance, kLanes> allowances_;
  std::mutex mutex_;
  std::condition_variable turn_came_;
  std::size_t turn_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::size_t readingThreads(const TraceSet& set) {
  const std::size_t fit =
      std::max<std::size_t>(2, kTableBytes / tableBytes(set, set.selected));
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                 std::min(fit, kLanes));
}

void workOnStreams(const TraceSet& set, const std::vector<std::size_t>& streams,
                   std::size_t threads, const WorkOnStream& work) {
  const std::size_t most = std::clamp<std::size_t>(streams.size(), 1, kLanes);
  StreamReader(set, streams, work)
      .read(std::clamp<std::size_t>(threads, 1, most));
}

void readStreams(const TraceSet& set, const std::vector<std::size_t>& streams,
                 std::size_t threads, const VisitStream& visit) {
  workOnStreams(set, streams, threads,
                [&visit](std::size_t, std::size_t stream, StreamTable& table) {
                  return [&visit, stream, &table] { visit(stream, table); };
                });
}

void readStreams(const TraceSet& set, const VisitStream& visit) {
  readStreams(set, set.selected, readingThreads(set), visit);
}

}  // namespace traced
