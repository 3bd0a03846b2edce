// Builds the entries of one rank's dump, in the order of issue.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"
#include "cli/common/json.h"

namespace traced::fr {

// Returns the names of groups by their index in the run's catalog. A name is
// torch's own, made unique among groups with the same members.
std::vector<std::string> namesOfGroups(const GroupCatalog& groups);

// Builds Flight Recorder entries from the operations of one stream.
class Entries {
 public:
  Entries(const JobView& view, std::uint32_t stream,
          const std::vector<std::string>& group_names);

  // Calls visit(Json) with each entry.
  void forEach(std::vector<ViewedCell> cells,
               const std::function<void(const Json&)>& visit);
  // Returns the configuration of all groups of the stream.
  Json groups() const;
  // Returns the progress of each group: the last operation enqueued, started
  // and completed among the entries so far.
  Json progress() const;
  // Returns the number of operations that the format cannot express.
  std::uint64_t leftOut() const { return left_out_; }

 private:
  // Counters of one group.
  struct Count {
    std::uint64_t collective = 0;
    // Number of the last send or receive; absent before the first.
    std::optional<std::uint64_t> p2p;
    std::uint64_t op = 0;
    std::int64_t enqueued = -1;
    std::int64_t started = -1;
    std::int64_t completed = -1;
  };
  struct Batch {
    std::uint64_t collective = 0;
    bool is_p2p = false;
    // Its number among sends and receives, once assigned.
    std::optional<std::uint64_t> p2p;
  };

  static std::uint64_t nextMessage(Count& count);
  // Determines the number of each coalesced batch, before entries are built.
  void findBatches(const std::vector<ViewedCell>& cells);
  // Returns the entry of an operation. Absent if the format cannot express it.
  std::optional<Json> entryOf(const AssembledOperation& op);
  // Sets the sequence ids of `entry` and advances the counters of its group.
  // Call once per entry, in the order of issue.
  void number(Json& entry, const AssembledOperation& op, const v1::Call& call,
              Count& count);
  // Sets state, duration and times, in nanoseconds of the wall clock.
  void addTimes(Json& entry, const AssembledOperation& op) const;
  std::string nameText(const AssembledOperation& op, const v1::Call& call,
                       const GroupDefinition& group) const;
  // Returns the stack frames of the call; empty if none were recorded.
  Json framesOf(const AssembledOperation& op) const;

  const JobView& view_;
  const std::uint32_t stream_;
  const StreamTable& table_;
  const std::vector<std::string>& group_names_;
  std::vector<Count> counts_;
  std::map<std::uint64_t, Batch> batches_;
  std::uint64_t entries_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace traced::fr
