// Shared memory of a communicator's ranks: a byte ring for every pair of ranks,
// and a bell per rank that the others ring after a change.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace simulated {

constexpr int kMaxRanks = 64;
constexpr std::uint64_t kRingSize = 64 << 10;

struct ByteRing {
  std::atomic<std::uint64_t> head;  // bytes written
  std::atomic<std::uint64_t> tail;  // bytes read
  char data[kRingSize];
};

struct SplitSlot {
  std::atomic<std::uint64_t> round;
  int color, key;
};

struct Shared {  // zero-initialized
  std::atomic<std::uint32_t> joined;
  std::atomic<std::uint32_t> bell[kMaxRanks];
  std::atomic<int> pid[kMaxRanks];
  std::atomic<std::uint64_t> gpu[kMaxRanks];  // identifies host and device
  SplitSlot slots[2][kMaxRanks];
  ByteRing rings[];
};

// One rank's mapping of a segment, unlinked once all ranks have joined.
class Segment {
 public:
  // Returns false if memory cannot be allocated.
  bool map(const std::string& name, int ranks);
  ~Segment();
  Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Shared* operator->() const { return shared_; }
  explicit operator bool() const { return shared_; }
  ByteRing& ring(int from, int to) const {
    return shared_->rings[from * ranks_ + to];
  }
  void ringBell(int rank) const;
  // Blocks until the bell of `rank` differs from `seen`. Wakes up spuriously
  // now and then.
  void awaitBell(int rank, std::uint32_t seen) const;

 private:
  Shared* shared_ = nullptr;
  std::size_t size_ = 0;
  int ranks_ = 0;
};

}  // namespace simulated
