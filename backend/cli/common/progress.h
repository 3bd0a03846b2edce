// Progress tells a person at a terminal how far a long reading is. It is silent
// in a pipe and for what takes no time.

#pragma once

#include <cstdint>
#include <string>

#include "analysis/reading/trace_set.h"

namespace traced {

class Progress {
 public:
  explicit Progress(std::string what);

  // To be called with bytes done and bytes in all; must not outlive this.
  ReadProgress callback();
  // Removes the line.
  void done();

 private:
  void show(std::uint64_t bytes, std::uint64_t total);

  const std::string what_;
  const bool terminal_;
  int shown_percent_ = -1;
};

}  // namespace traced
