// Meeting is one collective of a group: who has come to it, and who can leave.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "truth/history.h"

namespace traced::truth {

// How data goes from a root to the others, and back.
enum class Route : std::uint8_t { kDirect, kTree, kRing };

struct MeetingRules {
  Route route = Route::kDirect;
  // A root, or who relays, waits for those it sends to.
  bool late_sends = false;
  // How long a member's own part takes.
  std::function<std::int64_t(std::uint32_t member)> part_ns;
};

class Meeting {
 public:
  explicit Meeting(std::size_t size)
      : ready_(size, kNever), leaves_(size), left_(size, false) {}

  // When a member can leave, and when the last of those it depends on came.
  struct Leave {
    std::uint32_t member = 0;
    std::int64_t at = kNever;
    std::int64_t peers_ready = kNever;
  };

  // `is_stuck`: it came, and its part never ends.
  void join(std::uint32_t member, const Called& call, std::int64_t at,
            bool is_stuck);
  bool hasJoined(std::uint32_t member) const {
    return ready_[member] != kNever;
  }
  // Those who called what others did not.
  bool disagrees() const { return disagrees_; }
  // Those who can leave now, each told once.
  std::vector<Leave> leaving(const MeetingRules& rules);

 private:
  struct Known {
    std::int64_t at = kNever;
    std::int64_t peers_ready = kNever;
    bool known() const { return at != kNever; }
  };
  Known arrived(std::uint32_t member) const;
  Known all() const;
  Known dataAt(std::uint32_t place, const MeetingRules& rules) const;
  Known sumAt(std::uint32_t place, const MeetingRules& rules) const;
  Known leaves(std::uint32_t member, const MeetingRules& rules) const;
  Known afterReceivers(Known own, std::uint32_t place,
                       const MeetingRules& rules) const;
  std::uint32_t parentOf(std::uint32_t place, Route route) const;
  // Of a place counted from the root.
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
