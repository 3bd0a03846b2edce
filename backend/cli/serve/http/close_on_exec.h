// What --on-verdict starts has no part in the sockets of `serve`.

#pragma once

#include <fcntl.h>

namespace traced {

inline void closeOnExec(int descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace traced
