// Which operations of a run are looked at: by training steps, by a stretch of
// time, and by the nodes of those who take part.

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

// A window on a run: the operations that were issued in some training steps, or
// in a stretch of time.
struct RunWindow {
  StepRange steps;
  // After the first rank began to record.
  std::optional<std::int64_t> since_ns;
  std::optional<std::int64_t> until_ns;

  bool all() const { return steps.all() && !since_ns && !until_ns; }
  // "steps 10-49, 2.5 s to 10 s"; "" of all.
  std::string text() const;
};

// When the first of the selected streams began, on the common time line.
// `models`: of all streams.
std::int64_t firstStartNs(const TraceSet& set,
                          const std::vector<v1::ClockModel>& models);

// The window of one stream, which it must not outlive.
class WindowFilter {
 public:
  WindowFilter(const RunWindow& window, const StreamTable& table,
               const v1::ClockModel& clock, std::int64_t first_start_ns);

  // By when it was issued.
  bool holds(const AssembledOperation& op) const;
  // When it begins and ends on the stream's own clock, within what was
  // recorded; the same instant where nothing of the stream is in it.
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

// Leaves what is in the window of a stream: its operations, and of its time
// the window. `ready`, where there is one, has a value for each operation.
// Returns how many operations went.
std::uint64_t cutTo(const WindowFilter& filter, StreamTable& table,
                    std::vector<ReadyTime>* ready = nullptr);

// Which operations of a run are looked at, by the nodes of those who take part
// in them: what goes between nodes is slow, and often all that matters.
enum class ReportedScope { kAll, kCrossNode, kNone };

// "all", "crossnode", "none".
std::string nameOf(ReportedScope scope);
std::optional<ReportedScope> reportedScopeNamed(const std::string& name);

// On which node each rank ran, by the headers of the streams of a run: the name
// that its user gave (TRACED_NODE), else the boot id, else the host.
class NodeIndex {
 public:
  explicit NodeIndex(const TraceSet& set);

  // Which one a rank is on, and what people call it; "": nothing.
  struct Node {
    std::uint32_t number = 0;
    std::string name;
  };
  // nullptr where that is not known.
  const Node* of(std::uint32_t rank) const;
  // Whether all of them are known to be on one node.
  bool onOneNode(const RankList& ranks) const;
  bool onOneNode(std::uint32_t one, std::uint32_t other) const;

 private:
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> node_by_rank_;
};

// Chooses operations of one stream, which it must not outlive.
class ScopeFilter {
 public:
  ScopeFilter(ReportedScope scope, const NodeIndex& nodes,
              const StreamTable& table);

  // A send or receive is between nodes if its two ends are, any other operation
  // if its group is not within a node. What is not known is held.
  bool holds(const AssembledOperation& op) const;

 private:
  const ReportedScope scope_;
  const NodeIndex& nodes_;
  const StreamTable& table_;
  // Per group of the stream.
  std::vector<bool> within_node_;
};

}  // namespace traced
