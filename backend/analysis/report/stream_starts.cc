#include "analysis/report/stream_starts.h"

#include "analysis/stream/function_calls.h"
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
  rank.first_calls_ns = first_calls_ns_;
  for (const GroupSetup& setup : groupSetups(table_)) {
    const bool has_ended = setup.ended.known();
    const auto took =
        between(setup.began, has_ended ? setup.ended : table_.last);
    if (!took) continue;
    rank.creating_ns += *took;
    if (!has_ended) continue;
    for (const std::uint32_t group : setup.groups) {
      GroupStart& start = starts_[groups_[group]];
      start.created.add(rank.rank, *took);
      if (setup.barrier_ns > 0) start.barrier.add(rank.rank, setup.barrier_ns);
    }
  }
}

}  // namespace traced
