// Checks that the waits and transfers of a report are within its certified
// bounds.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/clocks/align_clocks.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/ready_times.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/stream/names.h"
#include "analysis/time_split/ready_table.h"
#include "analysis/time_split/time_split.h"
#include "truth/clocks.h"
#include "truth/trial.h"

namespace traced::truth {
namespace {

class TimeCheck {
 public:
  TimeCheck(const Trial& trial, const TraceSet& set, Lies& lies)
      : trial_(trial),
        set_(set),
        lies_(lies),
        reference_(
            trial.program,
            trial.program.hostOf(set.streams[set.selected[0]].header.rank())) {}

  void check() {
    if (trial_.history.out_of_step) return;
    const AlignedClocks clocks = alignClocks(set_);
    const std::vector<std::uint32_t> clock_ids = clockIds(set_);
    GroupCatalog catalog;
    ReadyTable ready_times;
    std::vector<StreamTable> tables(set_.streams.size());
    std::vector<ReadyTable::Stream> streams;
    readStreams(set_, set_.selected, 1, [&](std::size_t i, StreamTable& table) {
      tables[i] = std::move(table);
    });
    for (const std::size_t i : set_.selected) {
      const StreamTable& table = tables[i];
      const std::vector<std::uint32_t> groups =
          catalog.add(table.header.attempt(), table.definitions.groups());
      streams.emplace_back(table, clocks.models[i], clock_ids[i], groups);
      ready_times.add(OwnReadyTimes(table, groups), clocks.models[i],
                      clock_ids[i]);
    }
    for (const auto& stream : streams) check(ready_times, stream);
  }

 private:
  void check(const ReadyTable& ready_times, const ReadyTable::Stream& stream) {
    const std::uint32_t rank = stream.table.header.rank();
    const RankTrace& trace = trial_.traces[rank];
    const ReadyRows rows(ready_times, stream);
    if (stream.table.header.stream_id() != trace.stream_id) return;
    for (std::size_t i = 0; i < stream.table.operations.size(); ++i) {
      const auto found = trace.operations.find(stream.table.operations[i].id);
      if (found == trace.operations.end()) continue;
      const Happened& op = trial_.history.ranks[rank].operations[found->second];
      const OperationSplit split = splitTime(rows, i);
      if (op.ended == kNever || op.failed || op.peers_ready == kNever) continue;
      hold("wait for peers", rank, op, split.wait_for_peers, op.ready,
           std::max(op.ready, op.peers_ready));
      if (op.stamped != kNever ||
          has(trial_.program.features, Feature::kEndsInWaits)) {
        hold("transfer", rank, op, split.transfer,
             std::max(op.ready, op.peers_ready), op.ended);
      }
      if (split.ready) holdReady(rank, op, *split.ready);
    }
  }

  bool leavesOutHosts() const {
    return trial_.program.hosts() > 1 &&
           (!has(trial_.program.features, Feature::kTimesOfHosts) ||
            anyClockStepped(trial_.program, trial_.history.end));
  }

  std::int64_t at(std::int64_t true_ns) const {
    return reference_.monotonicNs(true_ns);
  }

  void hold(const char* what, std::uint32_t rank, const Happened& op,
            const std::optional<CertifiedTime>& reported, std::int64_t from,
            std::int64_t to) {
    if (!reported || leavesOutHosts()) return;
    const std::int64_t ns = at(to) - at(from);
    // Tolerance: the resolution of instants, and the drift of another host's
    // clock.
    const std::int64_t off_ns = 3'000 + ns / 5'000;
    // A rank that was not last waited for nobody before it was ready.
    const std::int64_t low_ns = std::max<std::int64_t>(reported->low_ns, 0);
    const std::int64_t high_ns = std::max<std::int64_t>(reported->high_ns, 0);
    if (low_ns - off_ns <= ns && ns <= high_ns + off_ns) return;
    report(what, rank, op,
           absl::StrCat("said ", reported->ns, " in [", reported->low_ns, ", ",
                        reported->high_ns, "] ns, was ", ns, " ns"));
  }

  void holdReady(std::uint32_t rank, const Happened& op,
                 const OperationSplit::ReadyOrder& ready) {
    if (leavesOutHosts()) return;
    std::int64_t last = 0;
    for (const std::uint32_t each :
         trial_.history.groups[op.call.group].members) {
      const Happened* other = trial_.collective(each, op.call.group, op.seq);
      if (other && other->ready != kNever) last = std::max(last, other->ready);
    }
    const std::int64_t before = last - op.ready;
    if (ready.is_last == (before == 0)) return;
    if (before <= 3'000) return;
    report("last ready time", rank, op,
           absl::StrCat("came ", before, " ns before"));
  }

  void report(const char* what, std::uint32_t rank, const Happened& op,
              const std::string& text) {
    lies_.push_back(
        {absl::StrCat(what, " of ", traced::nameOf(op.call.op)),
         absl::StrCat("rank ", rank, ", ", traced::nameOf(op.call.op), " #",
                      op.seq, " of group ", op.call.group, ": ", text)});
  }

  const Trial& trial_;
  const TraceSet& set_;
  Lies& lies_;
  const HostClock reference_;
};

}  // namespace

void checkTimes(const Trial& trial, const TraceSet& set, Lies& lies) {
  TimeCheck(trial, set, lies).check();
}

}  // namespace traced::truth
