#include "analysis/diagnosis/evidence/device_telling.h"

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

std::size_t indexOf(CallManner manner) {
  return static_cast<std::size_t>(manner);
}

bool tells(const AssembledOperation& op) {
  return op.ended.known() && isReported(op.end_source);
}

}  // namespace

bool DeviceTelling::hasEnd(const AssembledOperation& op, const v1::Call& call) {
  return call.graph_plus_1() == 0 &&
         (op.batch == 0 || call.op() == v1::OPERATION_COALESCED);
}

DeviceTelling::DeviceTelling(const StreamTable& table)
    : table_(table), told_(table.definitions.groups().size()) {
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    const std::uint32_t group =
        call ? table.groupOf(*call) : StreamDefinitions::kNone;
    if (group == StreamDefinitions::kNone || !hasEnd(op, *call)) continue;
    if (Told* const waits = byWaits(group, *call)) {
      if (op.ended.known()) {
        waits->ended(op.id, true);
      } else if (!op.failed) {
        ++waits->since;
      }
    }
    Told& told = told_[group][indexOf(mannerOf(*call))];
    if (tells(op)) {
      told.ended(op.id, op.end_source != v1::END_SOURCE_DEVICE_WAIT);
    } else if (!op.ended.known() && !op.failed) {
      ++told.since;
    }
  }
}

void DeviceTelling::Told::ended(std::uint64_t op, bool by_itself) {
  if (since > 0) ends.hole();
  since = 0;
  last_ended = op;
  ends.ended(by_itself);
}

DeviceTelling::Told* DeviceTelling::byWaits(std::uint32_t group,
                                            const v1::Call& call) {
  if (table_.engineOf(call).isKnown() || !waitsAtOnce(call)) return nullptr;
  return &told_by_waits_[{group, call.op()}];
}

bool DeviceTelling::standsStill(const AssembledOperation& op,
                                const v1::Call& call) {
  const std::uint32_t group = table_.groupOf(call);
  if (group == StreamDefinitions::kNone || !hasEnd(op, call)) return false;
  // Who waits issues nothing: it is one, behind others that all came back.
  const Told* const waits = byWaits(group, call);
  if (waits && waits->ends.in_a_row > 0 && !waits->ends.had_holes) {
    return waits->since == 1 && !op.wait_ended.known();
  }
  const CallManner manner = mannerOf(call);
  const Told& told = told_[group][indexOf(manner)];
  // One before others that ended has ended, too: a group keeps its order.
  if (!told.ends.reliable(manner) || op.id < told.last_ended) return false;
  if (!told.ends.unasked && !op.wait_ended.known()) return false;
  // A process that ended by itself may have left the device's last answers.
  return !table_.closed || table_.marks.deviceTimes().untimed == 0;
}

}  // namespace traced
