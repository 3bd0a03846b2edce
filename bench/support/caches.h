// Puts caches into the state that training leaves them in: full of other data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced::bench {

// Evicts by a pass over a buffer. It is several times the second-level cache
// and has more pages than the TLBs hold.
class Caches {
 public:
  void evict() {
    for (std::size_t i = 0; i < buffer_.size(); i += kStep) buffer_[i] += 1;
  }

 private:
  static constexpr std::size_t kStep = 64 / sizeof(std::uint64_t);
  std::vector<std::uint64_t> buffer_ =
      std::vector<std::uint64_t>((16 << 20) / sizeof(std::uint64_t));
};

}  // namespace traced::bench
