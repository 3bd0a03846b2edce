#include "analysis/diagnosis/rank_state.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/names.h"

namespace traced {
namespace {

// Tracing was off when the trace ended.
bool endsInPause(const StreamTable& table) {
  const std::vector<Pause>& pauses = table.marks.pauses();
  return !pauses.empty() && pauses.back().end_position == ~std::uint64_t{0};
}

// What may have taken records from anywhere in the stream. What retention
// deleted is only the beginning.
std::string lostText(const StreamTable& table) {
  std::vector<std::string> lost;
  const auto say = [&lost](std::uint64_t count, const std::string& what) {
    if (count > 0) lost.push_back(absl::StrCat(count, " ", what));
  };
  for (const v1::Drop& drop : table.accounts.drop()) {
    if (drop.reason() == v1::DROP_REASON_RETENTION) continue;
    say(drop.records(),
        absl::StrCat("records dropped (", nameOf(drop.reason()), ")"));
  }
  say(table.missing(), "records written but not found");
  say(table.gaps, "gaps between chunks");
  say(table.refused_bytes, "bytes of chunks refused");
  say(table.skipped_chunks, "chunks compressed in an unknown way");
  say(table.broken_tables, "chunks whose columns differ in length");
  say(table.overlapping_chunks, "chunks that overlap others");
  if (endsInPause(table)) lost.push_back("all since tracing was switched off");
  return absl::StrJoin(lost, ", ");
}

}  // namespace

RankState rankStateOf(const StreamTable& table) {
  RankState state;
  state.rank = table.header.rank();
  state.host = table.header.host();
  state.operations = table.operations.size() - table.simulated;
  state.left_out = table.accounts.left_out();
  state.closed = table.closed;
  state.recovered = !table.closed && table.accounts.recovered();
  state.lost = lostText(table);
  state.tells_places = tellsPlaces(table);
  return state;
}

}  // namespace traced
