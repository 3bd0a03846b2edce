// Kills this process when it comes to a named point of the recorder.

#pragma once

#include <cstdint>
#include <string>

namespace traced::testing {

// From now on: the process dies when it reaches `point` for the `nth` time,
// from
// 1. For a child of the test.
void dieAt(const std::string& point, std::uint64_t nth);

}  // namespace traced::testing
