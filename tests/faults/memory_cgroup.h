// A control group with a bound on memory, of either version of cgroups.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace traced::testing {

class MemoryCgroup {
 public:
  // nullptr, and why, where this machine does not let one be made.
  static std::unique_ptr<MemoryCgroup> make(std::uint64_t bytes,
                                            std::string& why);
  ~MemoryCgroup();

  // Puts this process into it; false if that is not possible.
  bool enter() const;
  // Processes that were killed because the memory was used up.
  std::uint64_t kills() const;

 private:
  MemoryCgroup(std::string path, std::string events)
      : path_(std::move(path)), events_(std::move(events)) {}

  const std::string path_;
  const std::string events_;  // the file that counts kills
};

}  // namespace traced::testing
