// Meeting simulates one collective of a group: who has joined, and who can
// leave.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "truth/history.h"

namespace traced::truth {

// How data travels from a root to the others, and back.
enum class Route : std::uint8_t { kDirect, kTree, kRing };

struct MeetingRules {
  Route route = Route::kDirect;
  // Roots and relaying members wait for the members they send to.
  bool late_sends = false;
  // Returns how long a member's own part takes.
  std::function<std::int64_t(std::uint32_t member)> part_ns;
};

class Meeting {
 public:
  explicit Meeting(std::size_t size)
      : ready_(size, kNever), leaves_(size), left_(size, false) {}

  // When a member can leave, and when the last member that it depends on was
  // ready.
  struct Leave {
    std::uint32_t member = 0;
    std::int64_t at = kNever;
    std::int64_t peers_ready = kNever;
  };

  // `is_stuck`: the member joins, but its part never ends.
  void join(std::uint32_t member, const Called& call, std::int64_t at,
            bool is_stuck);
  bool hasJoined(std::uint32_t member) const {
    return ready_[member] != kNever;
  }
  // Returns whether members called different operations.
  bool disagrees() const { return disagrees_; }
  // Returns the members that can leave now; each is returned once.
  std::vector<Leave> leaving(const MeetingRules& rules);

 private:
  struct Known {
    std::int64_t at = kNever;
    std::int64_t peers_ready = kNever;
    bool known() const { return at != kNever; }
  };
  Known readyAt(std::uint32_t member) const;
  Known all() const;
  Known dataAt(std::uint32_t place, const MeetingRules& rules) const;
  Known sumAt(std::uint32_t place, const MeetingRules& rules) const;
  Known leaves(std::uint32_t member, const MeetingRules& rules) const;
  Known afterReceivers(Known own, std::uint32_t place,
                       const MeetingRules& rules) const;
  std::uint32_t parentOf(std::uint32_t place, Route route) const;
  // Returns the member at a position counted from the root.
  std::uint32_t memberAt(std::uint32_t place) const;

  std::vector<std::int64_t> ready_;
  std::vector<Known> leaves_;
  std::vector<bool> left_;
  std::vector<bool> stuck_;
  Called call_;
  bool any_ = false;
  bool disagrees_ = false;
};

}  // namespace traced::truth
