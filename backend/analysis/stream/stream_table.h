// StreamTable is one stream, read: its operations, its definitions and its
// accounts of what is complete.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stream/assembled_operation.h"
#include "analysis/stream/definitions.h"
#include "analysis/stream/marks.h"
#include "analysis/stream/source_capabilities.h"
#include "base/instant.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// What is known of the ring of a stream, beyond its files.
enum class RingState : std::uint8_t {
  // Nobody looked.
  kNotPolled,
  // There is none within reach, or it cannot be used.
  kNone,
  // It was read while its process lived: the stream is known up to then.
  kAlive,
  // It was read, and its process was dead: the stream is known to its end.
  kDead,
};

// How far a group of a Flight Recorder dump had come: sequence numbers as its
// backend counts them, absent where there was none yet.
struct GroupProgress {
  // Index into definitions.groups(), or StreamDefinitions::kNone.
  std::uint32_t group = StreamDefinitions::kNone;
  std::string name;
  std::optional<std::uint64_t> last_enqueued;
  std::optional<std::uint64_t> last_started;
  std::optional<std::uint64_t> last_completed;
};

struct StreamTable {
  v1::Header header;
  // What its source tells at all.
  CapabilitySet capabilities = CapabilitySet::all();
  StreamDefinitions definitions;
  // In the order of their issue rows; all of them were issued.
  std::vector<AssembledOperation> operations;
  // The collectives of each group are known to come by their number.
  bool in_seq_order = false;
  Marks marks;
  // Samples of what the process used (TRACED_RESOURCES).
  std::vector<ResourceRow> resources;
  // Operations that only estimated a time and communicated nothing.
  std::uint64_t simulated = 0;

  // As of the last chunk that was found.
  v1::Accounts accounts;
  bool closed = false;
  // What was seen of the end of its process, all that is said of it taken
  // together; see process_end.h.
  v1::ProcessEnd process_end;
  std::uint64_t rows_found = 0;
  std::uint64_t chunks = 0;
  // Bytes of chunks whose checksum is right but whose content was refused.
  std::uint64_t refused_bytes = 0;
  // Chunks skipped for their compression, and those whose columns disagree.
  std::uint64_t skipped_chunks = 0;
  std::uint64_t broken_tables = 0;
  // Chunks ignored because they overlap others.
  std::uint64_t overlapping_chunks = 0;
  // Places where the positions of neighbouring chunks leave a gap, and how
  // many positions are missing there.
  std::uint64_t gaps = 0;
  std::uint64_t gap_positions = 0;
  // Where in the stream records are missing that a gap, a chunk that could not
  // be read, or a count of drops tells of: before this position. All that
  // followed the issue of a later operation is here.
  std::uint64_t lost_before = 0;
  // A Flight Recorder dump: what a process remembered when it was asked.
  // Records it no longer held, or was told to leave out, are counted.
  bool snapshot = false;
  std::uint64_t not_in_dump = 0;
  std::vector<GroupProgress> progress;
  // The latest instant the stream says anything about.
  Instant last;
  // From the first operation's issue to the end of the last one, or to `last`
  // where an operation had not ended. Start-up and exit are outside.
  Instant first_operation;
  Instant last_operation;
  // What was looked for in shared memory, and for how long the end of the
  // stream was found only there; absent: it is all in files.
  RingState ring = RingState::kNotPolled;
  std::optional<std::uint64_t> from_ring_ns;

  std::uint64_t dropped() const;
  // Records that were dropped for one reason.
  std::uint64_t dropped(v1::DropReason reason) const;
  // Records lost after they were written, as far as a later chunk proves it.
  std::uint64_t missing() const;
  // Its process had not ended when it was read.
  bool stillRunning() const {
    return ring == RingState::kAlive && !closed && !accounts.recovered();
  }
  // Whether the end of the stream is here, or of one that still runs all until
  // it was read, so that missing() is all that is missing. Otherwise what
  // followed the last chunk is not known.
  bool endKnown() const {
    return closed || accounts.recovered() || stillRunning();
  }
  // From the start of the recording to its last instant, in nanoseconds.
  std::uint64_t runNs() const;
  // From its first operation to its last: what shares of rank time are of.
  std::uint64_t rankTimeNs() const;
  // Adds to one of the operations how it was carried out.
  void addMethod(const MethodRow& row, AssembledOperation& operation) const;
  // Derives first_operation and last_operation.
  void findOperationSpan();
  // Whether the process may be inside of the operation at the end of the
  // stream: it is neither over nor captured nor simulated.
  bool isUnderWay(const AssembledOperation& operation) const;
  bool lostSomething() const;

  bool isSimulated(const AssembledOperation& operation) const;
  // What an operation was called with; nullptr when that is not known.
  const v1::Call* callOf(const AssembledOperation& operation) const {
    return operation.call == AssembledOperation::kNoCall
               ? nullptr
               : &definitions.calls()[operation.call];
  }
  // Where in the program it was issued; nullptr when nothing is known.
  const v1::Context* contextOf(const AssembledOperation& operation) const;
  // Where in the program's code; nullptr when that is not known.
  const v1::Stack* stackOf(const AssembledOperation& operation) const;
  // Which line of the program called it, "/job/train.py:120 in forward"; ""
  // when that is not known.
  std::string siteOf(const AssembledOperation& operation) const;
  // One of the texts of an operation, such as its algorithm; "several" where
  // there were several, "" where none is known.
  std::string methodText(std::uint32_t text) const;
  // Index into definitions.groups(), or StreamDefinitions::kNone.
  std::uint32_t groupOf(const v1::Call& call) const;
  // What carries the call out; kUnknownEngine where its group is not known.
  const EngineTraits& engineOf(const v1::Call& call) const;
  // The global rank at the other end of a send or receive. That of a receive
  // from any rank is known once it has ended.
  std::optional<std::uint32_t> peerOf(const AssembledOperation& operation,
                                      const v1::Call& call) const;
};

}  // namespace traced
