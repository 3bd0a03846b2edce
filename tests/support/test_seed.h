// The seed of a test's random numbers. TEST_SEED=N sets another one.

#pragma once

#include <cstdint>
#include <cstdlib>

namespace traced::testing {

inline std::uint64_t testSeed() {
  const char* const given = std::getenv("TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

}  // namespace traced::testing
