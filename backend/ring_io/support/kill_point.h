// Defines named points at which the recovery tests kill a process. They compile
// to nothing unless TRACED_KILL_POINTS is defined.

#pragma once

#ifdef TRACED_KILL_POINTS
namespace traced {
// The test defines this function.
void reachKillPoint(const char* name) noexcept;
}  // namespace traced
#define TRACED_KILL_POINT(name) ::traced::reachKillPoint(name)
#else
#define TRACED_KILL_POINT(name) static_cast<void>(0)
#endif
