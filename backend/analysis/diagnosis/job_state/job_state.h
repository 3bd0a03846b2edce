// JobState is the input of the rules: all ranks of a run, matched and on one
// time line. Streams are added one by one and are not kept.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/clocks/align_clocks.h"
#include "analysis/diagnosis/job_state/collective_table.h"
#include "analysis/diagnosis/job_state/pair_table.h"
#include "analysis/diagnosis/job_state/rank_state.h"
#include "analysis/diagnosis/job_state/timing.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/group_names.h"
#include "analysis/job/run_summary.h"
#include "analysis/job/signature.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/source_capabilities.h"
#include "traced/v1/clock.pb.h"

namespace traced {

struct GroupState {
  CollectiveTable collectives;
  // Whether messages were sent within the group.
  bool has_messages = false;
  // The counters of its members' backends, with their ranks.
  std::vector<CollectiveTable::CountedRank> counted;
  // Whether some member called its collectives from several threads. The order
  // of two calls may then differ from the order of their numbers.
  bool several_threads = false;
  Timings timings;
};

struct JobState {
  GroupCatalog catalog;
  GroupNames names;
  // Indexed like the catalog.
  std::vector<GroupState> groups;
  PairTable pairs;
  SignatureTable signatures;
  // In ascending order of rank.
  std::vector<RankState> ranks;
  // The clocks of `ranks`.
  std::vector<v1::ClockModel> clocks;
  RunSummary summary;
  // The capabilities that all its streams share.
  CapabilitySet capabilities = CapabilitySet::all();
  // About one of `stride` operations is timed, to bound memory.
  std::uint64_t stride = 1;

  // Returns nullptr for a rank without a trace.
  const RankState* rank(std::uint32_t rank) const;
  // The members of a group with and without a trace.
  struct Membership {
    static constexpr std::size_t kMaxAbsent = 1000;

    // Both ascending. `absent` holds at most the first kMaxAbsent.
    std::vector<std::uint32_t> present;
    std::vector<std::uint32_t> absent;
  };
  // Returns the members of a group. If the trace does not name them, returns
  // the ranks with calls in the group.
  Membership membersOf(std::uint32_t group) const;
  // Returns whether at most a quarter of the members have no trace.
  bool mostArePresent(std::uint32_t group) const;
};

// Builds a JobState. Not thread safe.
class JobStateBuilder {
 public:
  // `set` must outlive this object.
  explicit JobStateBuilder(const TraceSet& set);

  // Adds a stream. Streams must be added in the order of TraceSet::selected.
  void add(const StreamTable& table);
  // Returns the job, on the common time line. `clocks` must cover all streams
  // of the set.
  JobState finish(AlignedClocks clocks) &&;

 private:
  const TraceSet& set_;
  // Per selected stream, an id of its clock: streams with equal ids share a
  // clock.
  std::vector<std::uint32_t> clock_names_;
  // Maximum number of timings that a stream keeps beyond the samples.
  std::size_t most_long_ = 0;
  JobState job_;
};

// Reads the selected streams. The result does not depend on the number of
// threads.
JobState readJob(const TraceSet& set, std::size_t threads);

// Converts all instants of a job from the streams' clocks to the common time
// line. Call it once. `clocks` has one entry per rank of the job.
void putOnCommonTime(absl::Span<const ClockCursor> clocks, JobState& job);

}  // namespace traced
