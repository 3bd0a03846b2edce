#include "truth/wiring.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "truth/random.h"

namespace traced::truth {

bool sharesNames(const Program& program) {
  return program.own_groups &&
         std::any_of(program.roles.begin(), program.roles.end(),
                     [](const Role& role) { return role.groups.size() > 1; });
}

Wiring::Wiring(const Program& program, const std::vector<PlainGroup>& groups)
    : groups_(groups), wired_(groups) {
  if (!program.own_groups) return;
  std::uint32_t first = 0;
  for (const Role& role : program.roles) {
    const auto count = static_cast<std::uint32_t>(role.groups.size());
    cross(program, first, count);
    first += count;
  }
}

// Connects the groups of a role. Ranks with the same group rank compete for the
// same keys in the store, so any of them may get any group's place.
void Wiring::cross(const Program& program, std::uint32_t first,
                   std::uint32_t count) {
  const std::size_t size = groups_[first].members.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (groups_[first + i].members.size() != size) return;
  }
  for (std::size_t place = 0; place < size; ++place) {
    Random random(program.seed, {32, first, place});
    for (std::uint32_t i = count - 1; i > 0; --i) {
      const std::uint32_t other = random.below(i + 1);
      std::swap(wired_[first + i].members[place],
                wired_[first + other].members[place]);
    }
  }
}

std::uint32_t Wiring::of(std::uint32_t group, std::uint32_t rank) const {
  const std::uint32_t place = groups_[group].indexOf(rank);
  const auto has_it = [&](const PlainGroup& wired) {
    return wired.desc == groups_[group].desc && place < wired.members.size() &&
           wired.members[place] == rank;
  };
  return static_cast<std::uint32_t>(
      std::find_if(wired_.begin(), wired_.end(), has_it) - wired_.begin());
}

bool Wiring::isCrossed(std::uint32_t group) const {
  for (const std::uint32_t rank : groups_[group].members) {
    if (wired_[of(group, rank)].members != groups_[group].members) return true;
  }
  return false;
}

}  // namespace traced::truth
