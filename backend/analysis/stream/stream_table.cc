#include "analysis/stream/stream_table.h"

#include <algorithm>
#include <limits>

#include "analysis/stream/context_text.h"

namespace traced {

std::uint64_t StreamTable::dropped() const {
  std::uint64_t records = 0;
  for (const v1::Drop& drop : accounts.drop()) records += drop.records();
  return records;
}

std::uint64_t StreamTable::dropped(v1::DropReason reason) const {
  std::uint64_t records = 0;
  for (const v1::Drop& drop : accounts.drop()) {
    if (drop.reason() == reason) records += drop.records();
  }
  return records;
}

std::uint64_t StreamTable::missing() const {
  const std::uint64_t stored = accounts.stored();
  return stored > rows_found ? stored - rows_found : 0;
}

std::uint64_t StreamTable::runNs() const {
  return between(Instant(header.started().monotonic_ns()), last).value_or(0);
}

std::uint64_t StreamTable::rankTimeNs() const {
  return between(first_operation, last_operation).value_or(0);
}

bool StreamTable::isInFlight(const AssembledOperation& operation) const {
  const v1::Call* call = callOf(operation);
  return operation.state() == OperationState::kIssued && !operation.over &&
         operation.batch == 0 && call && call->graph_plus_1() == 0 &&
         !call->simulated();
}

void StreamTable::addMethod(const MethodRow& row,
                            AssembledOperation& operation) const {
  // A text may have several ids.
  const auto add = [this](std::uint32_t& known, std::uint32_t text) {
    if (text == 0 || text == known) return;
    const bool is_same = methodText(known) == methodText(text);
    known = known == 0 || is_same ? text : AssembledOperation::kSeveral;
  };
  add(operation.algorithm, row.algorithm);
  add(operation.protocol, row.protocol);
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint16_t>::max();
  operation.channels = static_cast<std::uint16_t>(std::max<std::uint32_t>(
      operation.channels, std::min(row.channels, kMax)));
}

void StreamTable::findOperationSpan() {
  for (const AssembledOperation& op : operations) {
    if (!first_operation.known() || first_operation.isAfter(op.issued)) {
      first_operation = op.issued;
    }
    const Instant until = isInFlight(op) ? last : Instant();
    for (const Instant at :
         {op.issued, op.returned, op.ended, op.wait_ended, until}) {
      if (at.isAfter(last_operation)) last_operation = at;
    }
  }
}

bool StreamTable::lostSomething() const {
  return dropped() > 0 || missing() > 0 || refused_bytes > 0 ||
         skipped_chunks > 0 || broken_tables > 0 || overlapping_chunks > 0 ||
         gaps > 0 || not_in_dump > 0;
}

bool StreamTable::isSimulated(const AssembledOperation& operation) const {
  const v1::Call* call = callOf(operation);
  return call && call->simulated();
}

const v1::Context* StreamTable::contextOf(
    const AssembledOperation& operation) const {
  return operation.context == 0 ? nullptr
                                : definitions.context(operation.context);
}

const v1::Stack* StreamTable::stackOf(
    const AssembledOperation& operation) const {
  return operation.stack == 0 ? nullptr : definitions.stack(operation.stack);
}

std::string StreamTable::siteOf(const AssembledOperation& operation) const {
  const v1::Stack* stack = stackOf(operation);
  return stack ? definitions.siteText(*stack) : "";
}

std::string StreamTable::methodText(std::uint32_t text) const {
  if (text == AssembledOperation::kSeveral) return "several";
  const std::string* known = text == 0 ? nullptr : definitions.text(text);
  return known ? *known : "";
}

std::uint32_t StreamTable::groupOf(const v1::Call& call) const {
  return call.group() == 0 ? StreamDefinitions::kNone
                           : definitions.group(call.group());
}

const EngineTraits& StreamTable::engineOf(const v1::Call& call) const {
  const std::uint32_t group = groupOf(call);
  return group == StreamDefinitions::kNone
             ? kUnknownEngine
             : definitions.groups()[group].engine();
}

std::optional<std::uint32_t> StreamTable::peerOf(
    const AssembledOperation& operation, const v1::Call& call) const {
  if (call.peer_global_plus_1() > 0) return call.peer_global_plus_1() - 1;
  const std::uint32_t group = groupOf(call);
  if (operation.source_rank_plus_1 == 0 || group == StreamDefinitions::kNone) {
    return std::nullopt;
  }
  return definitions.groups()[group].members.at(operation.source_rank_plus_1 -
                                                1);
}

}  // namespace traced
