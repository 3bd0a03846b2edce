// Kills this process when it reaches a named point of the recorder.

#pragma once

#include <cstdint>
#include <string>

namespace traced::testing {

// Makes this process die by SIGKILL when it reaches `point` for the `nth` time,
// counted from 1. Call it in a child of the test, before it starts threads.
void dieAt(const std::string& point, std::uint64_t nth);

}  // namespace traced::testing
