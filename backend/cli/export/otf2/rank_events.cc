#include "cli/export/otf2/rank_events.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/timeline/rank_timeline.h"
#include "analysis/timeline/slices.h"
#include "analysis/view/job_view.h"
#include "cli/export/operation_facts.h"
#include "cli/export/otf2/communication.h"
#include "phrasing/text.h"

namespace traced::otf2 {

struct TimedCall {
  const OperationSlice* slice = nullptr;
  // Id of the thread; 0 if unknown.
  std::uint32_t thread = 0;
  // Overlapping calls of one thread are in different lanes. Usually a thread
  // has one.
  std::uint32_t lane = 0;
  // kNeverNs: the thread did not return, as far as is known.
  std::int64_t end_ns = 0;
  // True if the end is known.
  bool return_seen = false;
  // The interval in which the program waited for the operation later.
  std::optional<NamedSlice> wait;
};

// Returns the calls of a stream in the order of their begin.
std::vector<TimedCall> callsOf(const JobView& view, std::uint32_t stream,
                               const RankTimeline& line);

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
  // A thread that made a later call has returned from the earlier ones.
  const StreamTable& table = view.run().streams[stream].table;
  for (const auto& [thread, i] : last) {
    const bool stays = !calls[i].return_seen && calls[i].slice->open() &&
                       table.capabilities.has(SourceCapability::kWaits);
    if (stays) calls[i].end_ns = kNeverNs;
  }
  absl::flat_hash_map<std::uint32_t, Lanes> lanes;
  for (TimedCall& call : calls) {
    call.lane = lanes[call.thread].place(call.slice->begin_ns, call.end_ns);
  }
  return calls;
}

namespace {

class RankWriter {
 public:
  RankWriter(Writing& to, const JobView& view, std::uint32_t stream)
      : to_(to),
        view_(view),
        table_(view.run().streams[stream].table),
        stream_(stream) {}

  std::vector<Location> write(const RankTimeline& line) {
    const std::vector<TimedCall> calls = callsOf(view_, stream_, line);
    writeCalls(calls);
    std::vector<NamedSlice> waits;
    for (const TimedCall& call : calls) {
      const auto& wait = call.wait;
      if (wait && isShowable(wait->begin_ns) && isShowable(wait->end_ns)) {
        waits.push_back(*wait);
      }
    }
    placeInLanes(waits);
    writeNamed("waits", waits, OTF2_REGION_ROLE_TASK_WAIT);
    writeNamed("steps", line.steps, OTF2_REGION_ROLE_CODE);
    writeNamed("modules", line.modules, OTF2_REGION_ROLE_CODE);
    writeNamed("phases", line.phases, OTF2_REGION_ROLE_CODE);
    return std::move(locations_);
  }

 private:
  LocationWriter begin(const std::string& name, std::uint32_t lane) {
    locations_.push_back(
        {to_.locations++,
         lane == 0 ? name : absl::StrCat(name, " (", lane + 1, ")"), 0});
    return {to_.archive, to_.facts, to_.range, locations_.back().number};
  }

  std::string threadName(std::uint32_t id) const {
    const v1::Thread* thread = table_.definitions.thread(id);
    if (!thread) return "calls";
    return absl::StrCat("calls of thread ", thread->tid(),
                        thread->name().empty() ? "" : " ", thread->name());
  }

  void writeCalls(const std::vector<TimedCall>& calls) {
    // Sorted by the first call of each location.
    std::vector<std::vector<const TimedCall*>> by_location;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t>
        location_indices;
    for (const TimedCall& call : calls) {
      const auto [entry, is_new] = location_indices.try_emplace(
          std::pair(call.thread, call.lane), by_location.size());
      if (is_new) by_location.emplace_back();
      by_location[entry->second].push_back(&call);
    }
    if (by_location.empty()) begin("calls", 0).finish();
    for (const auto& of_location : by_location) {
      const TimedCall& first = *of_location.front();
      LocationWriter writer = begin(threadName(first.thread), first.lane);
      for (const TimedCall* call : of_location) writeCall(writer, *call);
      locations_.back().events = writer.finish();
    }
  }

  void writeCall(LocationWriter& writer, const TimedCall& timed) {
    const OperationSlice& slice = *timed.slice;
    const AssembledOperation& op = view_.operationOf(slice.cell);
    const v1::Call* call = table_.callOf(op);
    const RowFacts& row = to_.rows[slice.row];
    const OTF2_RegionRef region =
        to_.names.region(operationName(table_, op),
                         roleOf(call ? call->op() : v1::OPERATION_UNSPECIFIED));
    reportCorrelation(row);
    const auto take = [&](const char* name, const CellValue& value) {
      to_.facts.take(name, value);
    };
    take("group_label", view_.run().groups.label(slice.group));
    reportFacts(take, table_, slice, row.latest);
    if (!timed.return_seen) to_.facts.take("return", "not seen");
    writer.enter(slice.begin_ns, region);
    writeCommunication(writer, timed, row);
    if (timed.end_ns != kNeverNs) writer.leave(timed.end_ns, region);
  }

  void reportCorrelation(const RowFacts& row) {
    if (row.correlation) to_.facts.take("correlation_id", *row.correlation);
  }

  void writeCommunication(LocationWriter& writer, const TimedCall& timed,
                          const RowFacts& row) {
    const OperationSlice& slice = *timed.slice;
    const AssembledOperation& op = view_.operationOf(slice.cell);
    const v1::Call* call = table_.callOf(op);
    const bool in_group = call && slice.group != GroupCatalog::kNone;
    // Captured or estimated operations were not carried out.
    if (!in_group || call->simulated() || call->graph_plus_1() > 0) {
      ++to_.only_calls;
      return;
    }
    reportCorrelation(row);
    const OTF2_CommRef communicator = communicatorOf(slice.group);
    const Communication communication{
        .call = *call,
        .group = communicator,
        .request = slice.cell.operation + std::uint64_t{1},
        .peer_plus_1 =
            call->peer_plus_1() ? call->peer_plus_1() : op.source_rank_plus_1,
        .begin = writer,
        .facts = to_.facts,
        .end_ns = endOf(slice),
        .at_once = isAtOnce(timed, *call)};
    if (!writeEvents(communication)) {
      to_.facts.clear();
      ++to_.only_calls;
      return;
    }
    to_.communicators.try_emplace(slice.group, communicator);
    to_.without_end += !communication.end_ns;
  }

  // Returns the number of a group's communicator, or the next free number.
  OTF2_CommRef communicatorOf(std::uint32_t group) const {
    const auto found = to_.communicators.find(group);
    return found == to_.communicators.end()
               ? static_cast<OTF2_CommRef>(to_.communicators.size())
               : found->second;
  }

  static std::optional<std::int64_t> endOf(const OperationSlice& slice) {
    const bool ended =
        slice.how == SpanEnd::kEnded || slice.how == SpanEnd::kWithBatch;
    if (!ended) return std::nullopt;
    return slice.end_ns;
  }

  // Returns whether the thread stayed in the call until the operation ended.
  static bool isAtOnce(const TimedCall& timed, const v1::Call& call) {
    if (!waitsAtOnce(call)) return false;
    return timed.end_ns == kNeverNs ||
           (timed.return_seen && timed.slice->how == SpanEnd::kEnded &&
            timed.slice->end_ns <= timed.end_ns);
  }

  void writeNamed(const char* name, const std::vector<NamedSlice>& slices,
                  OTF2_RegionRole role) {
    std::vector<std::vector<const NamedSlice*>> lanes(lanesOf(slices));
    for (const NamedSlice& slice : slices) {
      lanes[slice.lane].push_back(&slice);
    }
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
      LocationWriter writer = begin(name, lane);
      for (const NamedSlice* slice : lanes[lane]) {
        // All steps share one region.
        if (slice->number) to_.facts.take("step", *slice->number);
        const OTF2_RegionRef region =
            to_.names.region(slice->number ? "step" : slice->name, role);
        writer.enter(slice->begin_ns, region);
        writer.leave(slice->end_ns, region);
      }
      locations_.back().events = writer.finish();
    }
  }

  Writing& to_;
  const JobView& view_;
  const StreamTable& table_;
  const std::uint32_t stream_;
  std::vector<Location> locations_;
};

}  // namespace

std::vector<Location> writeRank(Writing& to, const JobView& view,
                                std::uint32_t stream,
                                const RankTimeline& line) {
  return RankWriter(to, view, stream).write(line);
}

}  // namespace traced::otf2
