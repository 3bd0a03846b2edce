#include "analysis/view/job_view.h"

#include <algorithm>
#include <utility>

#include "analysis/job/group_catalog.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/view/operation_span.h"
#include "trace_io/correlation.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

std::vector<std::size_t> streamsOf(const RunOverview& overview,
                                   const std::vector<ChosenRank>& chosen) {
  std::vector<std::size_t> streams;
  for (const ChosenRank& one : chosen) {
    streams.push_back(overview.ranks[one.index].stream);
  }
  return streams;
}

}  // namespace

JobView::JobView(const TraceSet& set, RunOverview overview,
                 const ViewSelection& selection)
    : set_(set),
      overview_(std::move(overview)),
      chosen_(choose(selection)),
      run_(loadRun(set, streamsOf(overview_, chosen_), overview_.clocks,
                   overview_.groups)) {
  for (std::size_t i = 0; i < run_.streams.size(); ++i) {
    const LoadedRun::Stream& stream = run_.streams[i];
    const std::size_t of_set = overview_.ranks[chosen_[i].index].stream;
    ready_streams_.emplace_back(stream.table, stream.clock,
                                overview_.clock_ids[of_set],
                                stream.group_indices);
    group_hashes_.push_back(groupHashes(stream.table));
  }
  for (const ReadyTable::Stream& stream : ready_streams_) {
    ready_times_.emplace_back(overview_.ready_times, stream);
  }
  match(selection);
  if (selection.last_ns) keepLast(*selection.last_ns);
  if (selection.most_operations > 0) keepMost(selection.most_operations);
}

std::vector<ChosenRank> JobView::choose(const ViewSelection& selection) const {
  const std::vector<RunOverview::Rank>& ranks = overview_.ranks;
  std::vector<ChosenRank> asked;
  std::uint64_t operations = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!selection.ranks.empty() && !selection.ranks.contains(ranks[i].rank)) {
      continue;
    }
    asked.push_back({i, ChosenAs::kAsked});
    operations += ranks[i].operations;
  }
  const bool fits =
      selection.most_operations == 0 || operations <= selection.most_operations;
  if (fits || !selection.ranks.empty()) return asked;
  std::vector<std::size_t> culprits;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::vector<std::uint32_t>& all = diagnosis().culprits;
    if (std::binary_search(all.begin(), all.end(), ranks[i].rank)) {
      culprits.push_back(i);
    }
  }
  return chooseRanks(waitedNs(set_, overview_), culprits);
}

const Diagnosis& JobView::diagnosis() const {
  if (!diagnosis_) diagnosis_ = diagnose(set_, {});
  return *diagnosis_;
}

void JobView::match(const ViewSelection& selection) {
  const NodeIndex nodes(set_);
  MatchFilter wanted;
  wanted.groups = selection.groups;
  wanted.scope = selection.scope;
  wanted.window = selection.window;
  wanted.first_start_ns = overview_.first_ns;
  wanted.nodes = &nodes;
  matched_ = matchOperations(run_, wanted);
  left_out_.of_scope = matched_.out_of_scope;
  left_out_.of_window = matched_.out_of_window;
  std::uint64_t there = 0;
  for (const auto& stream : run_.streams) {
    there += stream.table.operations.size();
  }
  left_out_.of_groups = there - matched_.cells.size() - left_out_.of_scope;
  left_out_.ranks = overview_.ranks.size() - chosen_.size();
  for (const RunOverview::Rank& rank : overview_.ranks) {
    left_out_.of_ranks += rank.operations;
  }
  left_out_.of_ranks -= there;
}

void JobView::keepLast(std::int64_t last_ns) {
  const std::int64_t from_ns = wrappingDifference(overview_.last_ns, last_ns);
  std::vector<Batches> batches;
  batches.reserve(run_.streams.size());
  for (const auto& stream : run_.streams) batches.emplace_back(stream.table);
  const auto isOver = [&](const MatchCell& cell) {
    const OperationSpan span =
        spanOf(tableOf(cell), batches[cell.stream], operationOf(cell));
    return span.how != SpanEnd::kOpen &&
           commonOf(cell.stream, span.end) < from_ns;
  };
  std::erase_if(matched_.rows, [&](const MatchRow& row) {
    const auto cells = matched_.cellsOf(row);
    const bool gone = std::all_of(cells.begin(), cells.end(), isOver);
    if (gone) left_out_.of_window += cells.size();
    return gone;
  });
}

// Rows are sorted by time.
void JobView::keepMost(std::uint64_t most) {
  std::uint64_t kept = 0;
  std::size_t first = matched_.rows.size();
  while (first > 0 && kept + matched_.rows[first - 1].cell_count <= most) {
    kept += matched_.rows[--first].cell_count;
  }
  for (std::size_t i = 0; i < first; ++i) {
    left_out_.too_many += matched_.rows[i].cell_count;
  }
  matched_.rows.erase(
      matched_.rows.begin(),
      matched_.rows.begin() + static_cast<std::ptrdiff_t>(first));
}

OperationSplit JobView::splitOf(const MatchCell& cell) const {
  return splitTime(ready_times_[cell.stream], cell.operation);
}

std::optional<JobView::Latest> JobView::latestOf(const MatchRow& row) const {
  const MatchCell& cell = matched_.cellsOf(row).front();
  const AssembledOperation& op = operationOf(cell);
  const MatchedCall* call = ready_streams_[cell.stream].calls.of(op);
  const bool all_wait_for_all =
      call && call->role.proven && call->role.provable == call->group_size;
  if (!all_wait_for_all || isPointToPoint(callOf(cell)->op())) {
    return std::nullopt;
  }
  const ReadyTable::Row* ready = ready_times_[cell.stream].find(op);
  if (!ready || !ready->isComplete(*call) || ready->joined < 2 ||
      !ready->isLastCertain()) {
    return std::nullopt;
  }
  const CommonInstant& last = ready->last;
  const CommonInstant& before = ready->before_last;
  Latest latest{ready->last_rank, before.ns, last.ns, 0};
  const auto widthOf = [](const CommonInstant& instant) {
    return static_cast<std::uint64_t>(instant.certified.high_ns -
                                      instant.certified.low_ns);
  };
  if (last.clock != before.clock) {
    latest.within_ns = widthOf(last) + widthOf(before);
  }
  return latest;
}

std::optional<std::uint64_t> JobView::correlationOf(const MatchRow& row) const {
  if (row.group == GroupCatalog::kNone || row.seq == 0) return std::nullopt;
  const MatchCell& cell = matched_.cellsOf(row).front();
  const v1::Call* call = callOf(cell);
  if (!call) return std::nullopt;
  const bool message = isPointToPoint(call->op());
  if (message && !row.pair) return std::nullopt;
  const std::uint32_t local = tableOf(cell).groupOf(*call);
  if (local == StreamDefinitions::kNone) return std::nullopt;
  // Dumps lack the identity of a group across jobs, so its index within this
  // run is used.
  std::uint64_t hash = group_hashes_[cell.stream][local];
  if (hash == 0) hash = row.group + std::uint64_t{1};
  return message
             ? messageNumber(hash, row.pair->first, row.pair->second, row.seq)
             : collectiveNumber(hash, row.seq);
}

std::int64_t JobView::wallNsOf(std::uint32_t stream, Instant at) const {
  const auto& started = set_.streams[set_.selected.front()].header.started();
  return wrappingSum(
      commonOf(stream, at),
      wrappingDifference(started.realtime_ns(), started.monotonic_ns()));
}

}  // namespace traced
