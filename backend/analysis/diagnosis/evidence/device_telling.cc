#include "analysis/diagnosis/evidence/device_telling.h"

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

// So many that were told without a gap stand for how it was in the end: at the
// beginning the events of device times are still being made.
constexpr std::uint32_t kEnough = 16;

bool tells(const AssembledOperation& op) {
  return op.ended.known() && (op.end_source == v1::END_SOURCE_DEVICE_EVENT ||
                              op.end_source == v1::END_SOURCE_COMPLETION_HOOK ||
                              op.end_source == v1::END_SOURCE_DEVICE_WAIT);
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
    Told& told = told_[group][mannerOf(*call)];
    if (tells(op)) {
      told.ended(op.id, op.end_source != v1::END_SOURCE_DEVICE_WAIT);
    } else if (!op.ended.known() && !op.failed) {
      ++told.since;
    }
  }
}

DeviceTelling::Manner DeviceTelling::mannerOf(const v1::Call& call) {
  if (call.op() == v1::OPERATION_COALESCED) return kBatch;
  if (!call.has_async()) return kUnsaid;
  return call.async() ? kAsync : kSync;
}

void DeviceTelling::Told::ended(std::uint64_t op, bool by_itself) {
  if (since > 0) {
    had_holes = true;
    in_a_row = 0;
  }
  since = 0;
  last_ended = op;
  ++in_a_row;
  unasked |= by_itself;
}

// Batches do not say whether they are synchronous: any gap may be one of those.
bool DeviceTelling::Told::reliable(bool is_batch) const {
  if (in_a_row == 0) return false;
  return !had_holes || (!is_batch && in_a_row >= kEnough);
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
  if (waits && waits->in_a_row > 0 && !waits->had_holes) {
    return waits->since == 1 && !op.wait_ended.known();
  }
  const Manner manner = mannerOf(call);
  const Told& told = told_[group][manner];
  // One before others that ended has ended, too: a group keeps its order.
  if (!told.reliable(manner == kBatch) || op.id < told.last_ended) return false;
  if (!told.unasked && !op.wait_ended.known()) return false;
  // A process that ended by itself may have left the device's last answers.
  return !table_.closed || table_.marks.deviceTimes().untimed == 0;
}

}  // namespace traced
