// RLIMIT_FSIZE: a process that makes a file larger is killed with SIGXFSZ, so
// one asks first.

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
