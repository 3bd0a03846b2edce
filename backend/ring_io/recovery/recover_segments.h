// Brings back what processes that were killed left in their segments: the
// records go to the end of their trace, and the segment is removed.
//
// A segment is touched only when its lock can be had, which means that its
// owner is dead. Everything may be done twice: what the trace holds already is
// told by its own chunks.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ring_io/recovery/segment_file.h"
#include "traced/v1/trace.pb.h"

namespace traced {

struct RecoverOptions {
  // Changes nothing.
  bool dry_run = false;
  // Removes segments that cannot be recovered.
  bool discard = false;
  // Only segments whose trace is one of these files, or lies below one of these
  // directories, wherever it was when it was recorded. Empty: all.
  std::vector<std::string> traces;
  // What was seen of the end of their process; goes to the end of the trace.
  v1::ProcessEnd process_end;
};

enum class RecoverOutcome {
  // Its records are in the trace.
  kRecovered,
  // Left alone: its owner lives, or another recovery has it.
  kLive,
  // Kept: it holds nothing that can be relied on.
  kUnreadable,
  // Kept: its trace is gone or cannot be written.
  kUnwritable,
  // Removed without being recovered.
  kDiscarded,
};

struct RecoveredSegment {
  std::string path;
  RecoverOutcome outcome = RecoverOutcome::kUnreadable;
  // A sentence about what went wrong; "" when all is well.
  std::string why;

  // Whose it is; "" and 0 when unreadable.
  std::string trace;
  std::string job;
  std::string host;
  std::int64_t pid = 0;
  std::uint32_t rank = 0;

  // Its process had closed the trace in order, and only not removed the ring.
  bool closed = false;
  // Records brought back, or that would be.
  std::uint64_t records = 0;
  // Slots of records that were being filled when the process died.
  std::uint64_t unfinished_slots = 0;
  // Records passed over because they say something impossible.
  std::uint64_t broken_records = 0;
  // Records that its process made and that are not in the trace.
  std::uint64_t dropped_records = 0;
};

// Segments below `directories` that are this user's; all users' for root.
std::vector<std::string> findSegments(
    const std::vector<std::string>& directories);

// Recovers one that is open, also when its name was removed. Ignores
// `options.traces`.
RecoveredSegment recoverSegment(SegmentFile& file,
                                const RecoverOptions& options);

// Recovers each of them, in turn. Those that are not wanted, or that another
// recovery removed meanwhile, are not in the result.
std::vector<RecoveredSegment> recoverSegments(
    const std::vector<std::string>& paths, const RecoverOptions& options);

}  // namespace traced
