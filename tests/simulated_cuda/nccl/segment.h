// What the ranks of a communicator share: a byte ring for every pair of them,
// and a bell for each that the others ring when something has changed.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace simulated {

constexpr int kMaxRanks = 64;
constexpr std::uint64_t kRingSize = 64 << 10;

struct ByteRing {
  std::atomic<std::uint64_t> head;  // written
  std::atomic<std::uint64_t> tail;  // read
  char data[kRingSize];
};

struct SplitSlot {
  std::atomic<std::uint64_t> round;
  int color, key;
};

struct Shared {  // begins as zeros
  std::atomic<std::uint32_t> joined;
  std::atomic<std::uint32_t> bell[kMaxRanks];
  std::atomic<int> pid[kMaxRanks];
  std::atomic<std::uint64_t> gpu[kMaxRanks];  // of which host and number
  SplitSlot slots[2][kMaxRanks];
  ByteRing rings[];
};

// One rank's mapping of a segment. It is unlinked when all have joined.
class Segment {
 public:
  // False: there is no memory.
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
  // Until the bell of a rank is rung after it was seen like this; also now and
  // then without.
  void awaitBell(int rank, std::uint32_t seen) const;

 private:
  Shared* shared_ = nullptr;
  std::size_t size_ = 0;
  int ranks_ = 0;
};

}  // namespace simulated
