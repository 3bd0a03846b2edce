// SmallFile holds the start of a file in /proc.

#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace traced {

// A C string; "" if the file cannot be read.
struct SmallFile {
  char text[512] = {};

  explicit SmallFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (read(file, text, sizeof text - 1) < 0) text[0] = '\0';
    close(file);
  }
};

}  // namespace traced
