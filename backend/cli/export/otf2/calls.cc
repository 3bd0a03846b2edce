#include "cli/export/otf2/calls.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/timeline/lanes.h"

namespace traced::otf2 {
namespace {

TimedCall callOf(const JobView& view, std::uint32_t stream,
                 const OperationSlice& slice) {
  const StreamTable& table = view.run().streams[stream].table;
  const AssembledOperation& op = table.operations[slice.cell.operation];
  const v1::Call* call = table.callOf(op);
  TimedCall timed;
  timed.slice = &slice;
  timed.thread = op.thread;
  timed.end_ns = slice.begin_ns;
  const bool waited = between(op.wait_began, op.wait_ended).has_value();
  const bool at_once = call && waitsAtOnce(*call);
  const Instant end = at_once && waited ? op.wait_ended : op.returned;
  if (end.known()) {
    const std::int64_t end_ns = view.commonOf(stream, end);
    timed.return_seen = isShowable(end_ns);
    if (timed.return_seen) timed.end_ns = std::max(end_ns, slice.begin_ns);
  }
  if (waited && !at_once) {
    timed.wait = {absl::StrCat("wait ", operationName(table, op)),
                  view.commonOf(stream, op.wait_began),
                  view.commonOf(stream, op.wait_ended)};
  }
  return timed;
}

}  // namespace

std::vector<TimedCall> callsOf(const JobView& view, std::uint32_t stream,
                               const RankTimeline& line) {
  std::vector<TimedCall> calls;
  absl::flat_hash_map<std::uint32_t, std::size_t> last;
  for (const OperationSlice& slice : line.operations) {
    calls.push_back(callOf(view, stream, slice));
    last[calls.back().thread] = calls.size() - 1;
  }
  // A thread that called something else later had returned.
  const StreamTable& table = view.run().streams[stream].table;
  for (const auto& [thread, i] : last) {
    const bool stays = !calls[i].return_seen && calls[i].slice->open() &&
                       table.evidence.has(Evidence::kWaits);
    if (stays) calls[i].end_ns = kNeverNs;
  }
  absl::flat_hash_map<std::uint32_t, Lanes> lanes;
  for (TimedCall& call : calls) {
    call.lane = lanes[call.thread].place(call.slice->begin_ns, call.end_ns);
  }
  return calls;
}

}  // namespace traced::otf2
