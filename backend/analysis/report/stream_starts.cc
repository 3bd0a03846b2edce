#include "analysis/report/stream_starts.h"

#include <utility>

#include "analysis/job/time_windows.h"
#include "analysis/stream/function_calls.h"
#include "analysis/stream/losses.h"
#include "analysis/stream/names.h"

namespace traced {

StreamStarts::StreamStarts(const StreamTable& table,
                           absl::Span<const std::uint32_t> groups,
                           std::vector<GroupStart>& starts)
    : table_(table),
      groups_(groups),
      starts_(starts),
      first_calls_(table),
      equals_first_(table.definitions.calls().size()) {}

void StreamStarts::addStart(const AssembledOperation& op, bool is_first,
                            std::uint32_t group,
                            std::optional<std::uint64_t> took_ns) {
  if (group == GroupCatalog::kNone || !took_ns) return;
  const v1::Operation kind = table_.callOf(op)->op();
  // The end of a batch stands for its members.
  if (op.batch != 0 && kind != v1::OPERATION_COALESCED) return;
  GroupStart& start = starts_[group];
  if (!is_first) {
    start.later_ns.add(*took_ns);
    return;
  }
  equals_first_[op.call] = true;
  start.first.add(table_.header.rank(), *took_ns);
  start.first_op = nameOf(kind);
  first_calls_ns_ += *took_ns;
}

void StreamStarts::finish(RankTotals& rank) {
  Losses losses;
  losses.add(table_);
  const bool is_complete = !losses.any() && !table_.snapshot;
  if (is_complete) rank.first_calls_ns = first_calls_ns_;
  const std::vector<GroupSetup> setups = groupSetups(table_);
  CoveredTime creating;
  for (const GroupSetup& setup : setups) {
    const bool has_ended = setup.ended.known();
    const Instant ended = has_ended ? setup.ended : table_.last;
    creating.add(windowBetween(setup.began, ended));
    rank.failed_to_create += setup.failed;
    rank.still_creating += !has_ended;
    const auto took = between(setup.began, ended);
    if (!took || !has_ended) continue;
    for (const std::uint32_t group : setup.groups) {
      GroupStart& start = starts_[groups_[group]];
      start.created.add(rank.rank, *took);
      if (setup.barrier_ns > 0) start.barrier.add(rank.rank, setup.barrier_ns);
    }
  }
  if (is_complete && !setups.empty()) {
    rank.creating_ns = std::move(creating).ns();
  }
}

}  // namespace traced
