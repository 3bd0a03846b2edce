// RankState is the state of one rank: how far it got, and how complete its
// trace is.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/stream/call_site.h"
#include "analysis/stream/process_end.h"
#include "analysis/stream/stream_table.h"
#include "analysis/stream/thread_samples.h"

namespace traced {

// Source and destination of a send or receive.
using RankPair = std::optional<std::pair<std::uint32_t, std::uint32_t>>;

// One operation of a rank, in terms of the job.
struct OperationRef {
  std::uint32_t group = GroupCatalog::kNone;
  std::uint64_t seq = 0;
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  RankPair pair;
  // Issue time on the common time line. For `last_finished` the end time.
  std::int64_t at_ns = 0;
  // The text of its error, and the call site. The latter is nullptr if unknown.
  std::string error;
  std::shared_ptr<const CallSite> place;
  // Whether the call itself threw, before any communication.
  bool threw = false;
  // Whether the program is blocked until it ends.
  bool blocks = false;
  // When it was cut off: its group was aborted, or its engine gave up.
  std::optional<std::int64_t> until_ns;
  // When its failure became visible. Absent if it did not fail or the time is
  // unknown.
  std::optional<std::int64_t> failed_ns;
  // For an operation the rank is inside of: true if this holds only if its
  // thread waits for it. That wait is not recorded.
  bool perhaps = false;

  // Returns whether it failed by a timeout, according to the text of its error.
  bool timedOut() const;
};

// The first time that pending operations of a group were cut off on a rank.
struct GroupStop {
  std::uint32_t group = GroupCatalog::kNone;
  // True if the engine gave up, false if the program aborted the group.
  bool gave_up = false;
  // On the common time line.
  std::int64_t at_ns = 0;
  // The engine's message.
  std::string why;
  // The last collective called before the stop. 0 if none.
  std::uint64_t last_seq = 0;
  // The last operation issued before the stop.
  std::optional<OperationRef> last;
};

// A fault that one rank's trace proves by itself.
struct LocalFinding {
  OperationRef operation;
  // The second operation, for an overlap.
  std::optional<OperationRef> other;
  std::uint64_t repeats = 1;
};

// A part of the trace that was lost.
struct LostPart {
  enum class What : std::uint8_t {
    kDropped,
    kNotFound,
    kGaps,
    kRefusedBytes,
    kUnknownCompression,
    kBrokenTables,
    kOverlapping,
    // Everything since tracing was switched off. The number of records is
    // unknown.
    kSinceSwitchedOff,
  };

  What what = What::kDropped;
  std::uint64_t count = 0;
  // Why records were dropped, for example "full".
  std::string reason;
};

// A call that creates groups and has not ended, such as new_group().
struct Creating {
  std::string function;
  // The line that called it; "" if unknown.
  std::string site;
  // From its begin to the end of the trace.
  std::uint64_t for_ns = 0;
};

struct RankState {
  std::uint32_t rank = 0;
  std::string host;
  // 0 if unknown.
  std::int64_t pid = 0;
  // Ranks with equal numbers share a clock.
  std::uint32_t clock = 0;
  // The interval in which the process is known to have lived, on the common
  // time line.
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::uint64_t operations = 0;
  // Number of operations that were not recorded, in groups that are not judged.
  std::uint64_t left_out = 0;

  // How the process ended, and the first sign of that on the common time line:
  // its exception or its last record.
  ProcessEnd end;
  std::int64_t ended_ns = 0;
  // When its exception was raised or its signal was received. Absent if neither
  // is recorded.
  std::optional<std::int64_t> end_seen_ns;
  // The process closed its trace, so its last records are known.
  bool closed = false;
  // The process was killed, and its last records were recovered.
  bool recovered = false;
  // Empty if the trace is complete up to its last record, except for what
  // retention deleted from the beginning.
  std::vector<LostPart> lost;

  // Whether the trace is a partial dump. For a group without records it cannot
  // show whether the rank called anything.
  bool forgets = false;

  // Whether its trace may contain call sites.
  bool has_sites = false;
  // Whether its trace has hashes and statistics of tensors.
  bool has_hashes = false;
  bool has_statistics = false;
  bool has_replicas = false;

  // The process was running when its ring was read. Everything until `last_ns`
  // is in the trace.
  bool running = false;
  // The last actions are missing in all files and rings that were read.
  bool end_unknown = false;
  bool endKnown() const { return closed || recovered; }
  // Returns whether an operation missing in the trace did not happen, except in
  // the moments after the last record.
  bool whole() const { return lost.empty(); }

  // The call that the trace ends in, if it creates groups. Absent if its end
  // may have been lost.
  std::optional<Creating> creating;
  // Whether every such call would be in the trace.
  bool records_creating = false;
  // Where its threads stood, in the last sample. Empty without samples.
  std::vector<ThreadStanding> standings;
  // From its last sign of life, which its recorder gives twice a second, to the
  // signal that killed it. Set only if that is so long that it had been stopped
  // or had got no processor.
  std::optional<std::uint64_t> frozen_ns;
  // Longest time during which it was inside no operation, between two
  // operations.
  std::int64_t longest_pause_ns = 0;
  // The operation that ended last.
  std::optional<OperationRef> last_finished;
  // Operations it is inside of, by issue time. If too many, keeps the first one
  // of each group and pair of ranks, and the last ones overall.
  static constexpr std::size_t kMaxInside = 16;
  static constexpr std::size_t kMaxInsideShown = 64;
  std::vector<OperationRef> inside;
  // Adds an operation to `inside`. If that makes too many, drops the earliest
  // one that is not the first of its group and pair.
  void addInside(OperationRef operation);
  // The first operation that failed.
  std::optional<OperationRef> first_failure;
  // Number of operations issued after that failure became visible, and how many
  // of these failed. Nonzero if the program caught the failure.
  std::uint64_t issued_after_failure = 0;
  std::uint64_t failed_after_failure = 0;
  // The last operation it issued, whatever its outcome.
  std::optional<OperationRef> last_issued;

  // Per group on a device, the last operation whose end could not be observed.
  std::vector<OperationRef> last_unseen;
  // One entry per group that was cut off.
  std::vector<GroupStop> stops;
  // Returns nullptr if the group was not cut off.
  const GroupStop* stopOf(std::uint32_t group) const;

  // The first use of a buffer by two operations at once, and the first
  // operation never waited for. Each with the number of repeats.
  std::optional<LocalFinding> overlap;
  std::optional<LocalFinding> never_waited;
};

// Returns the state without operations: the fields that the stream's header and
// accounts provide.
RankState rankStateOf(const StreamTable& table);

}  // namespace traced
