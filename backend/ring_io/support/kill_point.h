// Named places at which the tests of recovery kill a process. They are nothing
// unless the recorder is compiled for these tests.

#pragma once

#ifdef TRACED_KILL_POINTS
namespace traced {
// Defined by the test.
void reachKillPoint(const char* name) noexcept;
}  // namespace traced
#define TRACED_KILL_POINT(name) ::traced::reachKillPoint(name)
#else
#define TRACED_KILL_POINT(name) static_cast<void>(0)
#endif
