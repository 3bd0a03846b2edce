// JobState is what the rules judge: all ranks of a run, matched, on one time
// line. Streams are added one by one and are not kept.

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

namespace traced {

struct GroupState {
  CollectiveTable collectives;
  // Messages were sent within it.
  bool has_messages = false;
  // What the backends of its members counted, by rank.
  std::vector<std::pair<std::uint32_t, Counters>> counted;
  // Some member called its collectives from several threads, so that the order
  // of two calls may differ from that of their numbers.
  bool several_threads = false;
  Timings timings;
};

struct JobState {
  GroupCatalog catalog;
  GroupNames names;
  // By index of the catalog.
  std::vector<GroupState> groups;
  PairTable pairs;
  SignatureTable signatures;
  // Ascending.
  std::vector<RankState> ranks;
  RunSummary summary;
  // What all its streams tell.
  CapabilitySet capabilities = CapabilitySet::all();
  // About one of so many operations is timed, so that the samples fit memory.
  std::uint64_t stride = 1;

  // nullptr for a rank that has no trace.
  const RankState* rank(std::uint32_t rank) const;
  // Who of a group has a trace.
  struct Membership {
    static constexpr std::size_t kMaxAbsent = 1000;

    // Ascending; of those without a trace the first ones where there are many.
    std::vector<std::uint32_t> present;
    std::vector<std::uint32_t> absent;
  };
  Membership membersOf(std::uint32_t group) const;
  // Whether at most a quarter of its members have no trace.
  bool mostArePresent(std::uint32_t group) const;
};

// Not thread safe.
class JobStateBuilder {
 public:
  // The set outlives it.
  explicit JobStateBuilder(const TraceSet& set);

  // Streams are added in the order of TraceSet::selected.
  void add(const StreamTable& table);
  // `clocks`: of all streams of the set.
  JobState finish(AlignedClocks clocks) &&;

 private:
  const TraceSet& set_;
  // Which of the selected streams read the same clock.
  std::vector<std::uint32_t> clock_names_;
  // Timings that a stream may keep beyond the samples.
  std::size_t most_long_ = 0;
  JobState job_;
};

// Reads the selected streams. What comes out does not depend on how many
// threads read them.
JobState readJob(const TraceSet& set, std::size_t threads);

// Puts what each stream told by its own clock on the common time line: all
// instants of a job, once. `clocks`: one per rank of the job.
void putOnCommonTime(absl::Span<const ClockCursor> clocks, JobState& job);

}  // namespace traced
