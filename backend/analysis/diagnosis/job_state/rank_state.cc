#include "analysis/diagnosis/job_state/rank_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "analysis/stream/function_calls.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// Returns whether tracing was off at the end of the trace.
bool endsInPause(const StreamTable& table) {
  const std::vector<Pause>& pauses = table.marks.pauses();
  return !pauses.empty() && pauses.back().end_position == ~std::uint64_t{0};
}

// Returns the losses that may have hit any part of the stream. Retention only
// deletes the beginning, so it is not included.
std::vector<LostPart> lostOf(const StreamTable& table) {
  using What = LostPart::What;
  std::vector<LostPart> lost;
  const auto add = [&lost](What what, std::uint64_t count,
                           std::string reason = "") {
    if (count > 0) lost.push_back({what, count, std::move(reason)});
  };
  for (const v1::Drop& drop : table.accounts.drop()) {
    if (drop.reason() == v1::DROP_REASON_RETENTION) continue;
    add(What::kDropped, drop.records(), nameOf(drop.reason()));
  }
  add(What::kNotFound, table.missing());
  add(What::kGaps, table.gaps);
  add(What::kRefusedBytes, table.refused_bytes);
  add(What::kUnknownCompression, table.skipped_chunks);
  add(What::kBrokenTables, table.broken_tables);
  add(What::kOverlapping, table.overlapping_chunks);
  if (endsInPause(table)) add(What::kSinceSwitchedOff, 1);
  return lost;
}

}  // namespace

bool OperationRef::timedOut() const {
  return absl::StrContains(error, "imed out") ||
         absl::StrContains(error, "imeout");
}

void RankState::addInside(OperationRef operation) {
  inside.push_back(std::move(operation));
  if (inside.size() <= kMaxInside) return;
  for (auto later = inside.begin(); later != inside.end(); ++later) {
    const bool is_first =
        std::none_of(inside.begin(), later, [&](const OperationRef& earlier) {
          return earlier.group == later->group && earlier.pair == later->pair;
        });
    if (is_first && inside.size() <= kMaxInsideShown) continue;
    inside.erase(later);
    return;
  }
}

const GroupStop* RankState::stopOf(std::uint32_t group) const {
  const auto found =
      std::find_if(stops.begin(), stops.end(),
                   [&](const GroupStop& stop) { return stop.group == group; });
  return found == stops.end() ? nullptr : &*found;
}

namespace {

// Returns the first call without an end. Calls of other threads may have ended
// since.
std::optional<Creating> creatingAtEnd(const StreamTable& table,
                                      const std::vector<GroupSetup>& setups) {
  if (table.closed) return std::nullopt;
  for (const GroupSetup& setup : setups) {
    if (setup.ended.known() || !isComplete(setup, table)) continue;
    return Creating{setup.function, setup.site,
                    between(setup.began, table.last).value_or(0)};
  }
  return std::nullopt;
}

// See RankState::frozen_ns.
std::optional<std::uint64_t> frozenBefore(const ProcessEnd& end,
                                          const StreamTable& table) {
  constexpr std::uint64_t kMinNs = 2'500'000'000;
  const auto silent_ns = between(table.last, end.signal_seen);
  const bool is_long = silent_ns && *silent_ns >= kMinNs;
  return is_long && table.accounts.recovered() ? silent_ns : std::nullopt;
}

}  // namespace

RankState rankStateOf(const StreamTable& table) {
  RankState state;
  state.rank = table.header.rank();
  state.host = table.header.host();
  state.pid = table.header.pid();
  state.operations = table.operations.size() - table.simulated;
  state.left_out = table.accounts.left_out();
  state.end = processEndOf(table);
  state.closed = table.closed;
  state.recovered = !table.closed && table.accounts.recovered();
  state.running = table.stillRunning();
  // A dump ends when it was made, so its end is known.
  state.end_unknown = !table.endKnown() && !table.snapshot;
  state.lost = lostOf(table);
  state.forgets = table.not_in_dump > 0 ||
                  (table.operations.empty() && !table.progress.empty());
  state.has_sites = hasSites(table);
  state.has_hashes = !table.hashes.empty();
  state.has_statistics = !table.statistics.empty();
  state.has_replicas = !table.replicas.empty();
  const std::vector<GroupSetup> setups = groupSetups(table);
  state.creating = creatingAtEnd(table, setups);
  state.standings = standingsAtEnd(table);
  state.frozen_ns = frozenBefore(state.end, table);
  state.records_creating = !setups.empty() && state.lost.empty();
  return state;
}

}  // namespace traced
