// Filters for the operations of a run: by training step, by time, and by the
// nodes of the ranks involved.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/figures/step_range.h"
#include "analysis/job/ready_times.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/rank_list.h"
#include "analysis/stream/stream_table.h"
#include "base/instant.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// A window of a run: the operations issued in some training steps, or in a time
// interval.
struct RunWindow {
  StepRange steps;
  // Relative to when the first rank started to record.
  std::optional<std::int64_t> since_ns;
  std::optional<std::int64_t> until_ns;

  bool all() const { return steps.all() && !since_ns && !until_ns; }
  // Returns for example "steps 10-49, since 2.5 s, until 10 s". Empty for the
  // whole run.
  std::string text() const;
};

// Returns when the first of the selected streams started, on the common time
// line. `models` covers all streams.
std::int64_t firstStartNs(const TraceSet& set,
                          const std::vector<v1::ClockModel>& models);

// The window of one stream. The stream and the window must outlive it.
class WindowFilter {
 public:
  // `clock`: the stream's model, needed only here. `first_start_ns`: see
  // firstStartNs(); the window's times count from there.
  WindowFilter(const RunWindow& window, const StreamTable& table,
               const v1::ClockModel& clock, std::int64_t first_start_ns);

  // Returns whether the operation was issued in the window.
  bool holds(const AssembledOperation& op) const;
  // Return the bounds of the window on the stream's clock, limited to the
  // recorded time. Both are equal if the stream is entirely outside.
  Instant begin() const { return Instant(begin_ns_); }
  Instant end() const { return Instant(end_ns_); }

 private:
  void takeSteps();

  const RunWindow& window_;
  const StreamTable& table_;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  bool to_the_end_ = true;
};

// Removes everything outside the window from a stream, and limits its time to
// the window. `ready`, if given, has one value per operation. Returns the
// number of removed operations.
std::uint64_t cutTo(const WindowFilter& filter, StreamTable& table,
                    std::vector<ReadyTime>* ready = nullptr);

// Which operations to report, by the nodes of the ranks involved. Communication
// between nodes is slow and often all that matters.
enum class ReportedScope { kAll, kCrossNode, kNone };

// Returns "all", "crossnode" or "none".
std::string nameOf(ReportedScope scope);
// Returns the scope with this name. Absent if unknown.
std::optional<ReportedScope> reportedScopeNamed(const std::string& name);

// NodeIndex knows on which node each rank ran, from the headers of a run's
// streams. A node is identified by the user's name for it (TRACED_NODE),
// otherwise by boot id, otherwise by host.
class NodeIndex {
 public:
  explicit NodeIndex(const TraceSet& set);

  // A node and its name for users. The name may be empty.
  struct Node {
    std::uint32_t number = 0;
    std::string name;
  };
  // Returns nullptr if the node is unknown.
  const Node* of(std::uint32_t rank) const;
  // Returns whether all ranks are known to be on one node.
  bool onOneNode(const RankList& ranks) const;
  bool onOneNode(std::uint32_t one, std::uint32_t other) const;

 private:
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> node_by_rank_;
};

// Selects operations of one stream. The stream and the node index must outlive
// it.
class ScopeFilter {
 public:
  ScopeFilter(ReportedScope scope, const NodeIndex& nodes,
              const StreamTable& table);

  // Returns whether the operation is in scope. A message is between nodes if
  // its ends are. Any other operation is, unless its group is within one node.
  // Unknown cases are in scope.
  bool holds(const AssembledOperation& op) const;

 private:
  const ReportedScope scope_;
  const NodeIndex& nodes_;
  const StreamTable& table_;
  // Indexed by the stream's group.
  std::vector<bool> within_node_;
};

}  // namespace traced
