// RankState is what one rank's trace says of the rank as a whole: where it got,
// and how much of it the trace can know.

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

namespace traced {

// Of sends and receives: source and destination.
using RankPair = std::optional<std::pair<std::uint32_t, std::uint32_t>>;

// One operation of a rank, as the job knows it.
struct OperationRef {
  std::uint32_t group = GroupCatalog::kNone;
  std::uint64_t seq = 0;
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  RankPair pair;
  // On the common time line: its issue, or for a finished one its end.
  std::int64_t at_ns = 0;
  // Definitions of its stream say more: the text of its error, and where in the
  // program it was called, nullptr where nothing is known.
  std::string error;
  std::shared_ptr<const CallSite> place;
  // Whether the call itself threw, before anything was communicated.
  bool threw = false;
  // Whether the program does not go on before it ends.
  bool blocks = false;
  // When it was cut off: its group was aborted, or its engine gave up.
  std::optional<std::int64_t> until_ns;
  // When its failure was seen; absent of others, or where that is not known.
  std::optional<std::int64_t> failed_ns;
  // Of one that it is inside of: only if its thread waits for it, which is not
  // recorded.
  bool perhaps = false;

  // Whether it failed because it took too long: until then it stood still.
  bool timedOut() const;
};

// What a rank had under way in a group was cut off, for the first time.
struct GroupStop {
  std::uint32_t group = GroupCatalog::kNone;
  // Its engine gave up; else the program aborted the group.
  bool gave_up = false;
  // On the common time line.
  std::int64_t at_ns = 0;
  // What the engine said.
  std::string why;
  // The last collective that had been called before; 0: none.
  std::uint64_t last_seq = 0;
  // The last operation.
  std::optional<OperationRef> last;
};

// An oddity that one rank's trace shows by itself.
struct LocalFinding {
  OperationRef operation;
  // The other one, of two that overlap.
  std::optional<OperationRef> other;
  std::uint64_t repeats = 1;
};

// What its trace lost.
struct LostPart {
  enum class What : std::uint8_t {
    kDropped,
    kNotFound,
    kGaps,
    kRefusedBytes,
    kUnknownCompression,
    kBrokenTables,
    kOverlapping,
    // All since then: it has no count.
    kSinceSwitchedOff,
  };

  What what = What::kDropped;
  std::uint64_t count = 0;
  // Why records were dropped, "full".
  std::string reason;
};

struct RankState {
  std::uint32_t rank = 0;
  std::string host;
  // 0: not known.
  std::int64_t pid = 0;
  // Ranks with the same number read the same clock.
  std::uint32_t clock = 0;
  // On the common time line: since when and until when it is known to have
  // lived.
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::uint64_t operations = 0;
  // Operations that were not recorded, in groups that are not judged.
  std::uint64_t left_out = 0;

  // How the process ended, and when that is known to have begun: on the common
  // time line, its exception or its last record.
  ProcessEnd end;
  std::int64_t ended_ns = 0;
  // When its exception was raised, or the signal that ended it was seen; absent
  // where neither is recorded.
  std::optional<std::int64_t> end_seen_ns;
  // The process closed its trace; its last records are known.
  bool closed = false;
  // It was killed, and its last records were brought back.
  bool recovered = false;
  // Empty when all it recorded until its last record is here, but for what was
  // deleted from the beginning.
  std::vector<LostPart> lost;

  // It is a dump that does not hold all that was recorded: whether something
  // was called in a group of which it holds nothing is not known.
  bool forgets = false;

  // Whether its trace may know where in the program calls were made.
  bool has_sites = false;

  // It had not ended when its ring was read: all until last_ns is here.
  bool running = false;
  // What it did last is in none of the files and rings that were read.
  bool end_unknown = false;
  bool endKnown() const { return closed || recovered; }
  // Whether what is not in its trace did not happen, but for the moments
  // after its last record.
  bool whole() const { return lost.empty(); }

  // The longest time between two of its operations, inside of none.
  std::int64_t longest_pause_ns = 0;
  // The latest operation that ended.
  std::optional<OperationRef> last_finished;
  // Operations it is inside of, by issue. Where there are many: of each group,
  // and of each pair of ranks, the first, and the last ones of all.
  static constexpr std::size_t kMaxInside = 16;
  static constexpr std::size_t kMaxInsideShown = 64;
  std::vector<OperationRef> inside;
  void addInside(OperationRef operation);
  // The first operation that failed.
  std::optional<OperationRef> first_failure;
  // How many operations it issued after that failure was seen, and how many of
  // them failed: the program had caught it.
  std::uint64_t issued_after_failure = 0;
  std::uint64_t failed_after_failure = 0;
  // The last one it issued, whatever became of it.
  std::optional<OperationRef> last_issued;

  // Of each group on a device the last operation whose end nobody would have
  // seen.
  std::vector<OperationRef> last_unseen;
  // Of each group that was cut off.
  std::vector<GroupStop> stops;
  // nullptr where it was not.
  const GroupStop* stopOf(std::uint32_t group) const;

  // Buffers in two operations at once, and operations never waited for: the
  // first of each, with the number of all.
  std::optional<LocalFinding> overlap;
  std::optional<LocalFinding> never_waited;
};

// Without operations: what the accounts of the stream say.
RankState rankStateOf(const StreamTable& table);

}  // namespace traced
