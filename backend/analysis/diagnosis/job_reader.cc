#include "analysis/diagnosis/job_reader.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/allowance.h"
#include "analysis/stream_loader.h"

namespace traced {
namespace {

// Streams take from the allowance of their lane, each lane in order: so what is
// refused does not depend on the number of threads either.
constexpr std::size_t kLanes = 8;

// What the streams that are in memory at once may take, when they are large.
constexpr std::uint64_t kTableBytes = std::uint64_t{512} << 20;

// Each thread loads every n-th stream; they are matched one after the other, in
// order, which takes a fraction of the time.
class JobReader {
 public:
  explicit JobReader(const TraceSet& set) : set_(set), builder_(set) {}

  JobState read(std::size_t threads) && {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < threads; ++i) {
      others.push_back(
          std::async(std::launch::async, [=, this] { readEvery(threads, i); }));
    }
    readEvery(threads, 0);
    for (std::future<void>& other : others) other.get();
    return std::move(builder_).finish();
  }

 private:
  void readEvery(std::size_t threads, std::size_t first) {
    try {
      StreamLoader loader(set_);
      for (std::size_t i = 0; i < set_.selected.size(); ++i) {
        const std::size_t lane = i % kLanes;
        if (lane % threads != first) continue;
        StreamTable table =
            loader.load(set_.streams[set_.selected[i]], allowances_[lane]);
        if (!match(i, table)) return;
        loader.recycle(std::move(table));
      }
    } catch (...) {
      giveUp();
      throw;
    }
  }

  // When it is the stream's turn. False when there is no use in going on.
  bool match(std::size_t i, const StreamTable& table) {
    std::unique_lock lock(mutex_);
    turn_came_.wait(lock, [&] { return turn_ == i || gave_up_; });
    if (gave_up_) return false;
    builder_.add(table);
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
  JobStateBuilder builder_;
  std::array<Allowance, kLanes> allowances_;
  std::mutex mutex_;
  std::condition_variable turn_came_;
  std::size_t turn_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::size_t readingThreads(const TraceSet& set) {
  std::uint64_t positions = 0;
  for (const std::size_t i : set.selected) {
    const std::vector<ChunkRef>& chunks = set.streams[i].chunks;
    if (chunks.empty()) continue;
    positions = std::max(
        positions, chunks.back().end_position - chunks.front().first_position);
  }
  // An operation takes at least two positions of the ring.
  const std::uint64_t largest = 1 + positions / 2 * sizeof(AssembledOperation);
  const std::size_t fit = std::max<std::size_t>(2, kTableBytes / largest);
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                 std::min(fit, kLanes));
}

JobState readJob(const TraceSet& set, std::size_t threads) {
  return JobReader(set).read(std::clamp<std::size_t>(threads, 1, kLanes));
}

}  // namespace traced
