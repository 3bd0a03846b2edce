// Wiring computes which ranks a group truly connects.

#pragma once

#include <cstdint>
#include <vector>

#include "truth/program.h"
#include "truth/unroll.h"

namespace traced::truth {

class Wiring {
 public:
  // `groups`: those of the program, as numbered by unroll().
  Wiring(const Program& program, const std::vector<PlainGroup>& groups);

  // Returns where a rank connects when it calls a group that it is in: an index
  // for at(). at() contains the ranks that it meets.
  std::uint32_t of(std::uint32_t group, std::uint32_t rank) const;
  const PlainGroup& at(std::uint32_t wired) const { return wired_[wired]; }
  // Returns whether the group connects ranks other than its members.
  bool isCrossed(std::uint32_t group) const;

 private:
  void cross(const Program& program, std::uint32_t first, std::uint32_t count);

  const std::vector<PlainGroup>& groups_;
  std::vector<PlainGroup> wired_;
};

// Returns whether groups with different members have the same c10d name.
bool sharesNames(const Program& program);

}  // namespace traced::truth
