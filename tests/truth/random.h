// Draws numbers from a seed. Numbers drawn for one purpose do not depend on
// those drawn for another, so that a smaller program keeps its times.

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace traced::truth {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // Creates a generator for one purpose, which is identified by numbers.
  Random(std::uint64_t seed, std::initializer_list<std::uint64_t> purpose)
      : state_(seed) {
    for (const std::uint64_t each : purpose) state_ = next() ^ (each << 1);
    next();
  }

  // Returns the next number of splitmix64.
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Returns a number in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(next() % span);
  }
  std::uint32_t below(std::size_t end) {
    return static_cast<std::uint32_t>(next() % end);
  }
  bool oneIn(std::uint64_t n) { return next() % n == 0; }
  template <typename T>
  T oneOf(std::initializer_list<T> values) {
    return values.begin()[next() % values.size()];
  }

 private:
  std::uint64_t state_;
};

}  // namespace traced::truth
