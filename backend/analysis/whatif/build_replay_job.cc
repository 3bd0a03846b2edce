#include "analysis/whatif/build_replay_job.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/clocks/align_clocks.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/run_filters.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/whatif/meeting_table.h"
#include "analysis/whatif/rank_actions.h"
#include "analysis/whatif/sections.h"
#include "analysis/whatif/transfer_times.h"
#include "analysis/whatif/wait_lags.h"
#include "analysis/whatif/wait_order.h"

namespace traced::whatif {
namespace {

// Converts the actions of one rank to events.
class RankConverter {
 public:
  RankConverter(const StreamTable& table, const v1::ClockModel& clock,
                RankActions actions, const std::vector<std::uint32_t>& groups,
                MeetingTable& meetings, std::uint32_t rank_index)
      : table_(table),
        clock_(clock),
        actions_(std::move(actions)),
        stream_(table, groups, rank_index, meetings) {}

  RankEvents convert(Doubts& doubts) {
    RankEvents rank;
    rank.rank = table_.header.rank();
    rank.events.reserve(actions_.actions.size());
    const auto& steps = table_.marks.steps();
    std::vector<std::uint32_t> first_of_step(steps.size());
    std::size_t step = 0;
    if (!actions_.actions.empty()) {
      rank.begin_ns = at_ns_ = beginNs();
      rank.clock_ns = actions_.actions.front().clock_ns;
    }
    for (const Action& action : actions_.actions) {
      if (!action.is_wait) {
        const std::uint64_t id = table_.operations[action.op].id;
        for (; step < steps.size() && id >= steps[step].position; ++step) {
          first_of_step[step] = static_cast<std::uint32_t>(rank.events.size());
        }
        addJoins(action, rank);
      } else {
        doubts.unseen_waits += action.is_unseen;
        addWaits(action, rank);
      }
    }
    rank.end_ns = at_ns_;
    addSteps(table_, first_of_step, step, rank);
    return rank;
  }

 private:
  static void addSteps(const StreamTable& table,
                       const std::vector<std::uint32_t>& first,
                       std::size_t count, RankEvents& rank) {
    rank.steps.push_back({0, 0});
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = table.marks.steps()[i].number;
      if (first[i] == rank.steps.back().first_event) {
        rank.steps.back().number = number;
      } else {
        rank.steps.push_back({number, first[i]});
      }
    }
  }

  // Returns when the rank began: with its first operation, or with its first
  // step if that was before.
  std::int64_t beginNs() const {
    std::int64_t begin_ns = actions_.actions.front().begin_ns;
    const auto& steps = table_.marks.steps();
    if (!steps.empty() && steps.front().began.known()) {
      begin_ns = std::min(begin_ns, commonNs(clock_, steps.front().began.ns()));
    }
    return begin_ns;
  }

  // Returns the time since the previous event. Events of several threads may
  // overlap.
  float gapUntil(std::int64_t ns) const {
    return ns > at_ns_ ? static_cast<float>(static_cast<double>(ns) -
                                            static_cast<double>(at_ns_))
                       : 0.0F;
  }

  // Returns the part of that time before the end of an operation for which the
  // program may have waited without a record.
  float mayWaitUntil(std::int64_t ns) const {
    return gapUntil(std::min(ns, may_wait_until_ns_));
  }

  void addJoins(const Action& action, RankEvents& rank) {
    const Joined joined =
        stream_.join(action, actions_.ends[action.op], rank.events.size());
    float gap_ns = gapUntil(action.begin_ns);
    float may_wait_ns = mayWaitUntil(action.begin_ns);
    bool is_second = false;
    for (const std::uint32_t meeting : {joined.whole, joined.own}) {
      if (meeting == kNone) continue;
      Event event;
      event.gap_ns = std::exchange(gap_ns, 0.0F);
      event.may_wait_ns = std::exchange(may_wait_ns, 0.0F);
      event.meeting = meeting;
      event.after = joined.after;
      event.lag_ns = joined.after_lag_ns;
      event.kind = joined.kind;
      event.is_second = std::exchange(is_second, true);
      rank.events.push_back(event);
    }
    at_ns_ = std::max(at_ns_, action.begin_ns);
    const OperationEnd& end = actions_.ends[action.op];
    if (end.unseen_wait && end.known) {
      may_wait_until_ns_ = std::max(may_wait_until_ns_, end.ns);
    }
  }

  void addWaits(const Action& action, RankEvents& rank) {
    const Awaited awaited = stream_.awaited(action.op);
    const std::int64_t begin_ns =
        action.is_unseen ? action.end_ns : action.begin_ns;
    float gap_ns = gapUntil(begin_ns);
    float may_wait_ns = mayWaitUntil(begin_ns);
    float blocked_ns =
        action.is_unseen
            ? 0.0F
            : static_cast<float>(std::max(
                  0.0,
                  static_cast<double>(action.end_ns) -
                      static_cast<double>(std::max(at_ns_, action.begin_ns))));
    const OperationEnd& own = actions_.ends[action.op];
    const float tail_ns = own.known && own.reported
                              ? static_cast<float>(std::max(
                                    0.0, static_cast<double>(action.end_ns) -
                                             static_cast<double>(own.ns)))
                              : -1.0F;
    bool is_second = false;
    for (const std::uint32_t meeting : {awaited.whole, awaited.own}) {
      if (meeting == kNone) continue;
      Event event;
      event.gap_ns = std::exchange(gap_ns, 0.0F);
      event.may_wait_ns = std::exchange(may_wait_ns, 0.0F);
      event.lag_ns = std::exchange(blocked_ns, 0.0F);
      event.own_lag_ns = tail_ns;
      event.meeting = meeting;
      event.kind = awaited.kind;
      event.is_wait = 1;
      event.is_unseen = action.is_unseen ? 1 : 0;
      event.is_second = std::exchange(is_second, true);
      rank.events.push_back(event);
    }
    at_ns_ = std::max(at_ns_, action.end_ns);
  }

  const StreamTable& table_;
  const v1::ClockModel& clock_;
  const RankActions actions_;
  StreamMeetings stream_;
  // The end of the previous event.
  std::int64_t at_ns_ = 0;
  std::int64_t may_wait_until_ns_ = std::numeric_limits<std::int64_t>::min();
};

void addDoubts(const RankActions& actions, const StreamTable& table,
               Doubts& doubts) {
  const std::uint32_t rank = table.header.rank();
  doubts.failed += actions.failed;
  doubts.untimed += actions.untimed;
  doubts.unfinished += actions.unfinished;
  if (actions.unfinished > 0) doubts.unfinished_ranks.push_back(rank);
  if (table.lostSomething()) doubts.lossy_ranks.push_back(rank);
  if (table.marks.pausedNs() > 0) doubts.paused = true;
  for (const OperationEnd& end : actions.ends) doubts.late_ends += end.late;
}

void addMissingRanks(const RunSummary& summary, Doubts& doubts) {
  constexpr std::uint32_t kMaxRanks = 1U << 20;
  const auto& ranks = summary.ranks();
  const std::uint32_t world = std::min(summary.worldSize(), kMaxRanks);
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    if (!std::binary_search(ranks.begin(), ranks.end(), rank)) {
      doubts.missing_ranks.push_back(rank);
    }
  }
}

}  // namespace

ReplayJob buildReplayJob(const TraceSet& set, const RunWindow& window,
                         RunSummary& summary, std::uint64_t& outside) {
  ReplayJob job;
  const std::size_t threads = readingThreads(set);
  const AlignedClocks clocks = alignClocks(set);
  const ClockSummary clock_summary = summarizeClocks(set, clocks);
  if (clock_summary.clocks > 1) {
    job.doubts.unaligned_clocks = clock_summary.by_wall_clock;
  }
  if (clock_summary.certified) {
    job.doubts.clock_ns = clock_summary.certified->within_ns;
  }
  const NodeIndex nodes(set);
  MeetingTable meetings(nodes, job);
  GroupCatalog groups;
  const std::int64_t first_ns = firstStartNs(set, clocks.models);
  workOnStreams(
      set, set.selected, threads,
      [&](std::size_t, std::size_t i,
          StreamTable& table) -> std::function<void()> {
        const std::uint64_t all = table.operations.size();
        std::uint64_t cut = 0;
        if (!window.all()) {
          const WindowFilter filter(window, table, clocks.models[i], first_ns);
          cut = cutTo(filter, table);
        }
        auto actions =
            std::make_shared<RankActions>(rankActions(table, clocks.models[i]));
        return [&, actions, i, all, cut] {
          outside += cut;
          summary.add(table, all);
          addDoubts(*actions, table, job.doubts);
          job.has_steps |= !table.marks.steps().empty();
          job.operations += table.operations.size();
          const auto of_stream =
              groups.add(table.header.attempt(), table.definitions.groups());
          RankConverter converter(table, clocks.models[i], std::move(*actions),
                                  of_stream, meetings,
                                  static_cast<std::uint32_t>(job.ranks.size()));
          job.ranks.push_back(converter.convert(job.doubts));
          sortWaits(job.kinds, job.ranks.back().events);
        };
      });
  summary.setClockWarnings(clocks.warnings);
  addMissingRanks(summary, job.doubts);
  meetings.finish(groups);
  findTransferTimes(job);
  findWaitLags(job);
  findSections(job);
  return job;
}

}  // namespace traced::whatif
