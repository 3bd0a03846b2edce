#include "analysis/diagnosis/job_state/group_stops.h"

#include <algorithm>
#include <limits>

#include "analysis/stream/operation_kinds.h"

namespace traced {

GroupStops::GroupStops(const StreamTable& table) : table_(table) {
  for (const Marks::Event& event : table.marks.events()) {
    const bool cuts_off = event.kind == v1::MARK_KIND_ABORT ||
                          event.kind == v1::MARK_KIND_ENGINE_FAILED;
    constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
    if (!cuts_off || !event.at.known() || event.value > kMax) continue;
    const std::uint32_t local =
        table.definitions.group(static_cast<std::uint32_t>(event.value));
    if (local == StreamDefinitions::kNone) continue;
    stops_.resize(table.definitions.groups().size());
    if (!stops_[local].event) stops_[local].event = &event;
  }
}

const GroupStops::Stop* GroupStops::stopOf(const AssembledOperation& op,
                                           const v1::Call& call) const {
  if (stops_.empty()) return nullptr;
  const std::uint32_t local = table_.groupOf(call);
  if (local == StreamDefinitions::kNone) return nullptr;
  const Stop& stop = stops_[local];
  const bool before = stop.event && op.id < stop.event->position;
  return before ? &stop : nullptr;
}

Instant GroupStops::cutOff(const AssembledOperation& op,
                           const v1::Call& call) const {
  const Stop* stop = stopOf(op, call);
  return stop ? stop->event->at : Instant();
}

void GroupStops::add(const AssembledOperation& op, const v1::Call& call) {
  if (!stopOf(op, call)) return;
  Stop& stop = stops_[table_.groupOf(call)];
  if (!stop.last || op.id > stop.last->id) stop.last = &op;
  if (!isPointToPoint(call.op())) {
    stop.last_seq = std::max(stop.last_seq, op.seq);
  }
}

std::vector<GroupStop> GroupStops::stops(
    const std::vector<std::uint32_t>& group_indices,
    const std::function<OperationRef(const AssembledOperation&)>& refTo) const {
  std::vector<GroupStop> stops;
  for (std::size_t local = 0; local < stops_.size(); ++local) {
    const Stop& stop = stops_[local];
    if (!stop.event) continue;
    GroupStop& one = stops.emplace_back();
    one.group = group_indices[local];
    one.gave_up = stop.event->kind == v1::MARK_KIND_ENGINE_FAILED;
    one.at_ns = stop.event->at.ns();
    const std::string* why = table_.definitions.text(stop.event->text);
    if (stop.event->text && why) one.why = *why;
    one.last_seq = stop.last_seq;
    if (stop.last) one.last = refTo(*stop.last);
  }
  return stops;
}

}  // namespace traced
