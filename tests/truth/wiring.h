// Wiring is which ranks a group truly connects.

#pragma once

#include <cstdint>
#include <vector>

#include "truth/program.h"
#include "truth/unroll.h"

namespace traced::truth {

class Wiring {
 public:
  // `groups`: those of the program, as unroll() numbers them.
  Wiring(const Program& program, const std::vector<PlainGroup>& groups);

  // Where a rank meets others when it calls a group that it is in: an index of
  // at(), which holds who else is there.
  std::uint32_t of(std::uint32_t group, std::uint32_t rank) const;
  const PlainGroup& at(std::uint32_t wired) const { return wired_[wired]; }
  // Whether the group connects other ranks than those that it names.
  bool isCrossed(std::uint32_t group) const;

 private:
  void cross(const Program& program, std::uint32_t first, std::uint32_t count);

  const std::vector<PlainGroup>& groups_;
  std::vector<PlainGroup> wired_;
};

// Whether groups with different members have one c10d name.
bool sharesNames(const Program& program);

}  // namespace traced::truth
