// Recovers the segments of killed processes: appends their records to their
// traces and removes the segments.
//
// A segment is modified only while its lock is held, which proves that its
// owner is dead. Recovery may run twice: the trace's own chunks show which
// records it has.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ring_io/recovery/segment_file.h"
#include "traced/v1/trace.pb.h"

namespace traced {

struct RecoverOptions {
  // Modify nothing.
  bool dry_run = false;
  // Remove segments that cannot be recovered.
  bool discard = false;
  // Recover only segments whose trace is one of these files or below one of
  // these directories, even if the trace was moved. Empty: all.
  std::vector<std::string> traces;
  // How the process ended, as far as known. Appended to the trace.
  v1::ProcessEnd process_end;
};

// In a dry run: what would be done.
enum class RecoverOutcome {
  // The records are in the trace.
  kRecovered,
  // Not modified: the owner lives, or another recovery has the lock.
  kLive,
  // Kept: it has no reliable content.
  kUnreadable,
  // Kept: its trace is gone or cannot be written.
  kUnwritable,
  // Removed without recovery.
  kDiscarded,
};

struct RecoveredSegment {
  std::string path;
  RecoverOutcome outcome = RecoverOutcome::kUnreadable;
  // One sentence about the problem; "" if none.
  std::string why;

  // The segment's process; "" and 0 if unreadable.
  std::string trace;
  std::string job;
  std::string host;
  std::int64_t pid = 0;
  std::uint32_t rank = 0;

  // The process closed the trace in order but did not remove the ring.
  bool closed = false;
  // Number of records recovered, or recoverable in a dry run.
  std::uint64_t records = 0;
  // Slots of records that were incomplete when the process died.
  std::uint64_t unfinished_slots = 0;
  // Number of records skipped because their content is invalid.
  std::uint64_t broken_records = 0;
  // Number of records that the process made and that are not in the trace.
  std::uint64_t dropped_records = 0;
};

// Returns the segments in `directories` that belong to this user; for root,
// those of all users.
std::vector<std::string> findSegments(
    const std::vector<std::string>& directories);

// Recovers an open segment, even if its name was removed. Ignores
// `options.traces`.
RecoveredSegment recoverSegment(SegmentFile& file,
                                const RecoverOptions& options);

// Recovers the segments one after the other. The result omits segments that
// `options` excludes, that are still being created, or that another recovery
// removed meanwhile.
std::vector<RecoveredSegment> recoverSegments(
    const std::vector<std::string>& paths, const RecoverOptions& options);

}  // namespace traced
