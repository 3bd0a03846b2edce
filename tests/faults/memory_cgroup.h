// MemoryCgroup is a control group with a memory limit, with either version of
// cgroups.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace traced::testing {

class MemoryCgroup {
 public:
  // Creates a group with a limit of `bytes`. If this machine forbids it,
  // returns nullptr and sets `why`.
  static std::unique_ptr<MemoryCgroup> make(std::uint64_t bytes,
                                            std::string& why);
  ~MemoryCgroup();

  // Moves this process into the group. Returns false on failure.
  bool enter() const;
  // Returns how many processes were killed because the memory was used up.
  std::uint64_t kills() const;

 private:
  MemoryCgroup(std::string path, std::string events)
      : path_(std::move(path)), events_(std::move(events)) {}

  const std::string path_;
  const std::string events_;  // path of the file that counts kills
};

}  // namespace traced::testing
