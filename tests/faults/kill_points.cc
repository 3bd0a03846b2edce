#include "kill_points.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "ring_io/support/kill_point.h"

namespace traced {
namespace {

// Set before any thread is started.
std::string deadly_point;
std::atomic<std::uint64_t> passes_left{0};

}  // namespace

void reachKillPoint(const char* name) noexcept {
  if (deadly_point.empty() || deadly_point != name) return;
  if (passes_left.fetch_sub(1) != 1) return;
  kill(getpid(), SIGKILL);
  // The signal may arrive late, and this thread must not continue.
  for (;;) pause();
}

namespace testing {

void dieAt(const std::string& point, std::uint64_t nth) {
  deadly_point = point;
  passes_left = nth;
}

}  // namespace testing
}  // namespace traced
