#include "analysis/timeline/rank_timeline.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/stream/observed_end.h"
#include "analysis/timeline/slices.h"

namespace traced {
namespace {

// Maximum number of open operations per group, each of which takes a lane until
// the end. Earlier operations without an end did end, or their end could not be
// recorded.
constexpr std::size_t kMaxOpen = 16;

// A split is drawn if the uncertainty of its wait is at most this fraction of
// the operation.
constexpr std::int64_t kCertainPart = 10;

// Returns the parts of an operation if its split is precise enough to draw.
std::optional<OperationSlice::Parts> partsOf(const OperationSplit& split,
                                             const AssembledOperation& op,
                                             const OperationSlice& slice,
                                             std::int64_t watched_ns) {
  if (slice.how != SpanEnd::kEnded || !split.ready_ns) return std::nullopt;
  if (!split.wait_for_peers || !split.transfer) return std::nullopt;
  const CertifiedTime& wait = *split.wait_for_peers;
  const std::int64_t length_ns = slice.end_ns - slice.begin_ns;
  if ((wait.high_ns - wait.low_ns) > length_ns / kCertainPart) {
    return std::nullopt;
  }
  const std::int64_t ready_ns =
      std::clamp(*split.ready_ns, slice.begin_ns, slice.end_ns);
  const std::int64_t peers_ready_ns = std::clamp(
      ready_ns + std::max<std::int64_t>(wait.ns, 0), ready_ns, slice.end_ns);
  // With a late bound, the end is precise only if it was already watched when
  // the last rank became ready.
  if (isLateBound(op) && watched_ns > peers_ready_ns) return std::nullopt;
  return OperationSlice::Parts{ready_ns, peers_ready_ns};
}

class Drawer {
 public:
  Drawer(const JobView& view, std::uint32_t stream)
      : view_(view),
        stream_(stream),
        table_(view.run().streams[stream].table),
        batches_(table_) {}

  RankTimeline draw(const std::vector<ViewedCell>& cells) {
    for (const ViewedCell& cell : cells) addOperation(cell);
    openTheLast();
    placeOperations();
    addSteps();
    addRuns(cells);
    for (auto* slices :
         {&line_.waits, &line_.steps, &line_.modules, &line_.phases}) {
      std::erase_if(*slices, [](const NamedSlice& slice) {
        return !isShowable(slice.begin_ns) || !isShowable(slice.end_ns) ||
               slice.end_ns < slice.begin_ns;
      });
      placeInLanes(*slices);
    }
    return std::move(line_);
  }

 private:
  std::int64_t common(Instant at) const { return view_.commonOf(stream_, at); }

  void addOperation(const ViewedCell& cell) {
    const AssembledOperation& op = table_.operations[cell.operation];
    const OperationSpan span = spanOf(table_, batches_, op);
    OperationSlice slice;
    slice.cell = {stream_, cell.operation};
    slice.row = cell.row;
    slice.group = view_.matched().rows[cell.row].group;
    slice.begin_ns = common(span.begin);
    // If the clock stepped, a later instant may convert to an earlier time.
    slice.end_ns = std::max(common(span.end), slice.begin_ns);
    slice.how = span.how;
    if (!isShowable(slice.begin_ns) || !isShowable(slice.end_ns)) {
      ++line_.unshowable;
      return;
    }
    slice.split = view_.splitOf(slice.cell);
    const Instant watched = watchedSince(op);
    slice.parts = partsOf(slice.split, op, slice,
                          watched.known() ? common(watched) : slice.begin_ns);
    line_.operations.push_back(slice);
    if (between(op.wait_began, op.wait_ended)) {
      line_.waits.push_back({absl::StrCat("wait ", operationName(table_, op)),
                             common(op.wait_began), common(op.wait_ended)});
    }
  }

  void openTheLast() {
    absl::flat_hash_map<std::uint32_t, std::size_t> open;
    sortOperations();
    for (auto slice = line_.operations.rbegin();
         slice != line_.operations.rend(); ++slice) {
      if (slice->how != SpanEnd::kOpen) continue;
      if (++open[slice->group] <= kMaxOpen) {
        slice->end_ns = kNeverNs;
      } else {
        slice->how = SpanEnd::kNotSeen;
      }
    }
  }

  void sortOperations() {
    std::sort(line_.operations.begin(), line_.operations.end(),
              [](const OperationSlice& a, const OperationSlice& b) {
                return std::tuple(a.begin_ns, a.end_ns, a.cell.operation) <
                       std::tuple(b.begin_ns, b.end_ns, b.cell.operation);
              });
  }

  void placeOperations() {
    absl::flat_hash_map<std::uint32_t, Lanes> lanes;
    for (OperationSlice& slice : line_.operations) {
      slice.lane = lanes[slice.group].place(slice.begin_ns, slice.end_ns);
    }
  }

  // Adds the steps that contain an operation of the view, or all steps if it
  // has no operations.
  void addSteps() {
    const auto& slices = line_.operations;
    const bool all = slices.empty();
    const auto& steps = table_.marks.steps();
    if (steps.empty()) return;
    const auto times = timesOfSteps(table_, view_.timeOf(stream_));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Marks::Step& step = steps[i];
      // Exit is not part of the last step.
      const Instant last = table_.last_operation.isAfter(step.began)
                               ? table_.last_operation
                               : table_.last;
      const Instant ended = step.ended.known() ? step.ended : last;
      if (!step.began.known() || !ended.known()) continue;
      const std::int64_t begin_ns = common(step.began);
      const std::int64_t end_ns = common(ended);
      const auto first =
          std::lower_bound(slices.begin(), slices.end(), begin_ns,
                           [](const OperationSlice& slice, std::int64_t ns) {
                             return slice.begin_ns < ns;
                           });
      const bool holds = first != slices.end() && first->begin_ns <= end_ns;
      if (!all && !holds) continue;
      NamedSlice& slice = line_.steps.emplace_back();
      slice = {absl::StrCat("step ", step.number), begin_ns, end_ns, 0,
               step.number};
      slice.time = times[i];
    }
  }

  // Consecutive calls of one thread in one context.
  struct Run {
    std::string name;
    Instant begin, end;
  };
  using Runs = absl::flat_hash_map<std::uint32_t, Run>;

  void addRuns(const std::vector<ViewedCell>& cells) {
    if (!table_.definitions.haveContexts()) return;
    std::vector<std::uint32_t> order;
    order.reserve(cells.size());
    for (const ViewedCell& cell : cells) order.push_back(cell.operation);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) {
                return table_.operations[a].id < table_.operations[b].id;
              });
    Runs modules, phases;
    for (const std::uint32_t i : order) {
      const AssembledOperation& op = table_.operations[i];
      const v1::Context* context = table_.contextOf(op);
      extend(modules, op, context ? modulePath(*context) : "", line_.modules);
      extend(phases, op,
             context && context->phase() ? nameOf(context->phase()) : "",
             line_.phases);
    }
    for (auto& [thread, run] : modules) finish(run, line_.modules);
    for (auto& [thread, run] : phases) finish(run, line_.phases);
  }

  void extend(Runs& runs, const AssembledOperation& op, std::string name,
              std::vector<NamedSlice>& slices) {
    Run& run = runs[op.thread];
    const Instant end =
        between(op.issued, op.returned) ? op.returned : op.issued;
    if (run.name == name) {
      if (end.isAfter(run.end)) run.end = end;
      return;
    }
    finish(run, slices);
    run = {std::move(name), op.issued, end};
  }

  void finish(const Run& run, std::vector<NamedSlice>& slices) {
    if (run.name.empty()) return;
    slices.push_back({run.name, common(run.begin), common(run.end)});
  }

  const JobView& view_;
  const std::uint32_t stream_;
  const StreamTable& table_;
  const Batches batches_;
  RankTimeline line_;
};

}  // namespace

std::vector<std::vector<ViewedCell>> cellsByStream(const JobView& view) {
  std::vector<std::vector<ViewedCell>> cells(view.run().streams.size());
  const MatchTable& matched = view.matched();
  for (std::uint32_t row = 0; row < matched.rows.size(); ++row) {
    for (const MatchCell& cell : matched.cellsOf(matched.rows[row])) {
      cells[cell.stream].push_back({row, cell.operation});
    }
  }
  return cells;
}

RankTimeline timelineOf(const JobView& view, std::uint32_t stream,
                        const std::vector<ViewedCell>& cells) {
  return Drawer(view, stream).draw(cells);
}

}  // namespace traced
