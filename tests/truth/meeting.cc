#include "truth/meeting.h"

#include <algorithm>

namespace traced::truth {

void Meeting::join(std::uint32_t member, const Called& call, std::int64_t at,
                   bool is_stuck) {
  if (stuck_.empty()) stuck_.resize(ready_.size(), false);
  if (any_ && !call_.agreesWith(call)) disagrees_ = true;
  if (!any_) call_ = call;
  any_ = true;
  ready_[member] = at;
  stuck_[member] = is_stuck;
}

Meeting::Known Meeting::readyAt(std::uint32_t member) const {
  if (ready_[member] == kNever || stuck_[member]) return {};
  return {ready_[member], ready_[member]};
}

// Returns when the last member was ready. Unknown if one is missing or stuck.
Meeting::Known Meeting::all() const {
  Known last{0, 0};
  for (std::uint32_t i = 0; i < ready_.size(); ++i) {
    const Known one = readyAt(i);
    if (!one.known()) return {};
    last.at = std::max(last.at, one.at);
  }
  return {last.at, last.at};
}

std::uint32_t Meeting::memberAt(std::uint32_t place) const {
  const std::uint32_t root = call_.root_plus_1 - 1;
  return (root + place) % static_cast<std::uint32_t>(ready_.size());
}

std::uint32_t Meeting::parentOf(std::uint32_t place, Route route) const {
  if (route == Route::kTree) return place & (place - 1);
  return route == Route::kRing ? place - 1 : 0;
}

// Returns when a position has the root's data.
Meeting::Known Meeting::dataAt(std::uint32_t place,
                               const MeetingRules& rules) const {
  const Known own = readyAt(memberAt(place));
  if (place == 0 || !own.known()) return own;
  const Known parent = dataAt(parentOf(place, rules.route), rules);
  if (!parent.known()) return {};
  return {std::max(own.at, parent.at) + rules.part_ns(memberAt(place)),
          std::max(own.peers_ready, parent.peers_ready)};
}

// Returns when a position has all data that passes through it to the root.
Meeting::Known Meeting::sumAt(std::uint32_t place,
                              const MeetingRules& rules) const {
  Known sum = readyAt(memberAt(place));
  for (std::uint32_t i = place + 1; sum.known() && i < ready_.size(); ++i) {
    if (parentOf(i, rules.route) != place) continue;
    const Known child = sumAt(i, rules);
    if (!child.known()) return {};
    sum.at = std::max(sum.at, child.at) + rules.part_ns(memberAt(place));
    sum.peers_ready = std::max(sum.peers_ready, child.peers_ready);
  }
  return sum;
}

// Returns the later of `own` and the time when all members that the position
// sends to have joined.
Meeting::Known Meeting::afterReceivers(Known own, std::uint32_t place,
                                       const MeetingRules& rules) const {
  for (std::uint32_t i = 1; own.known() && i < ready_.size(); ++i) {
    if (parentOf(i, rules.route) != place) continue;
    const Known child = readyAt(memberAt(i));
    if (!child.known()) return {};
    own.at = std::max(own.at, child.at);
    own.peers_ready = std::max(own.peers_ready, child.peers_ready);
  }
  return own;
}

// Returns when a member can leave. Unknown if it depends on a missing one.
Meeting::Known Meeting::leaves(std::uint32_t member,
                               const MeetingRules& rules) const {
  const auto size = static_cast<std::uint32_t>(ready_.size());
  const std::int64_t part_ns = rules.part_ns(member);
  Known leave;
  if (disagrees_ || call_.root_plus_1 == 0) {
    leave = all();
  } else {
    const std::uint32_t root = call_.root_plus_1 - 1;
    const std::uint32_t place = (member + size - root) % size;
    if (call_.op == v1::OPERATION_BROADCAST ||
        call_.op == v1::OPERATION_SCATTER) {
      leave = dataAt(place, rules);
      if (rules.late_sends) leave = afterReceivers(leave, place, rules);
    } else {
      leave = sumAt(place, rules);
      const bool waits = rules.late_sends && place > 0;
      if (waits && leave.known()) {
        const Known to = readyAt(memberAt(parentOf(place, rules.route)));
        if (!to.known()) return {};
        leave.at = std::max(leave.at, to.at);
        leave.peers_ready = std::max(leave.peers_ready, to.peers_ready);
      }
    }
  }
  if (leave.known()) leave.at += part_ns;
  return leave;
}

std::vector<Meeting::Leave> Meeting::leaving(const MeetingRules& rules) {
  std::vector<Leave> result;
  for (std::uint32_t i = 0; i < ready_.size(); ++i) {
    if (left_[i] || !hasJoined(i)) continue;
    const Known leave = leaves(i, rules);
    if (!leave.known()) continue;
    left_[i] = true;
    result.push_back({i, leave.at, leave.peers_ready});
  }
  return result;
}

}  // namespace traced::truth
