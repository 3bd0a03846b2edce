// What a test draws random numbers by; TEST_SEED=N tries another seed.

#pragma once

#include <cstdint>
#include <cstdlib>

namespace traced::testing {

inline std::uint64_t testSeed() {
  const char* const given = std::getenv("TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

}  // namespace traced::testing
