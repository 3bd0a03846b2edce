// RemovedOnSignal has a file removed when a signal ends the program: SIGHUP,
// SIGINT, SIGPIPE or SIGTERM, as far as it would have ended it. For one file at
// a time.

#pragma once

#include <string>

namespace traced {

class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

}  // namespace traced
