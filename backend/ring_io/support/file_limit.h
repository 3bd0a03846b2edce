// Checks RLIMIT_FSIZE before a write: a process that exceeds it is killed by
// SIGXFSZ.

#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace traced {

inline bool isBeyondFileLimit(std::uint64_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur;
}

}  // namespace traced
