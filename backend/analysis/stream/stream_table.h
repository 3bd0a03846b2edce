// StreamTable holds one stream: its operations, its definitions, and how
// complete it is.

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

// State of a stream's ring in shared memory.
enum class RingState : std::uint8_t {
  // Not searched.
  kNotPolled,
  // Not found or not usable.
  kNone,
  // Read while the process was running: the stream is complete up to then.
  kAlive,
  // Read after the process had died: the stream is complete to its end.
  kDead,
};

// Progress of a group in a Flight Recorder dump, in its backend's sequence
// numbers; absent if none.
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
  // Kinds of data that the source can record.
  CapabilitySet capabilities = CapabilitySet::all();
  StreamDefinitions definitions;
  // In the order of their issue rows. All have one.
  std::vector<AssembledOperation> operations;
  // The collectives of each group are known to be ordered by sequence number.
  bool in_seq_order = false;
  Marks marks;
  // Samples of the process's resource usage (TRACED_RESOURCES).
  std::vector<ResourceRow> resources;
  // Events in functions of torch.distributed; see function_calls.h.
  std::vector<FunctionRow> functions;
  // Samples of threads; see thread_samples.h.
  std::vector<ThreadSampleRow> thread_samples;
  // Hashes and statistics of tensors (TRACED_VALUES), as recorded.
  std::vector<HashRow> hashes;
  std::vector<StatisticsRow> statistics;
  // Hashes of a model's tensors (traced.check_replicas).
  std::vector<ReplicaRow> replicas;
  // Number of operations that only estimated a time and communicated nothing.
  std::uint64_t simulated = 0;

  // Counters as of the last chunk found.
  v1::Accounts accounts;
  bool closed = false;
  // All records about the end of the process, combined; see process_end.h.
  v1::ProcessEnd process_end;
  std::uint64_t rows_found = 0;
  std::uint64_t chunks = 0;
  // Bytes of chunks with a valid checksum but refused content.
  std::uint64_t refused_bytes = 0;
  // Chunks skipped because of their compression, and chunks whose columns have
  // different lengths.
  std::uint64_t skipped_chunks = 0;
  std::uint64_t broken_tables = 0;
  // Chunks ignored because they overlap others.
  std::uint64_t overlapping_chunks = 0;
  // Number of gaps between the positions of neighbouring chunks, and the
  // missing positions in total.
  std::uint64_t gaps = 0;
  std::uint64_t gap_positions = 0;
  // All known losses (gaps, unreadable chunks, drops) are before this position.
  // Everything after the issue of a later operation is present.
  std::uint64_t lost_before = 0;
  // A Flight Recorder dump: what a process held in memory when the dump was
  // made. `not_in_dump` counts records it no longer held or was configured to
  // omit.
  bool snapshot = false;
  std::uint64_t not_in_dump = 0;
  std::vector<GroupProgress> progress;
  // The latest instant in the stream.
  Instant last;
  // From the issue of the first operation to the end of the last one, or to
  // `last` if an operation had not ended. Excludes start-up and exit.
  Instant first_operation;
  Instant last_operation;
  // The state of the ring, and how much time at the end of the stream was found
  // only there. Absent if everything is in files.
  RingState ring = RingState::kNotPolled;
  std::optional<std::uint64_t> from_ring_ns;

  // Returns how many records were dropped for any reason.
  std::uint64_t dropped() const;
  // Returns how many records were dropped for one reason.
  std::uint64_t dropped(v1::DropReason reason) const;
  // Returns how many records were lost after they were written, as far as a
  // later chunk proves it.
  std::uint64_t missing() const;
  // Returns whether the process was running when the stream was read.
  bool stillRunning() const {
    return ring == RingState::kAlive && !closed && !accounts.recovered();
  }
  // Returns whether the stream is complete to its end, or up to the time of
  // reading if the process was running. If so, missing() is exact. Otherwise,
  // the part after the last chunk is unknown.
  bool endKnown() const {
    return closed || accounts.recovered() || stillRunning();
  }
  // Returns the time from the start of recording to its last instant, in ns.
  std::uint64_t runNs() const;
  // Returns the time from the first operation to the last, in ns. Shares of
  // rank time refer to it.
  std::uint64_t rankTimeNs() const;
  // Adds to an operation how it was executed.
  void addMethod(const MethodRow& row, AssembledOperation& operation) const;
  // Sets first_operation and last_operation.
  void findOperationSpan();
  // Returns whether the operation may be in flight at the end of the stream: it
  // has not ended, was neither captured nor simulated, and is not part of a
  // batch.
  bool isInFlight(const AssembledOperation& operation) const;
  // Returns whether records or chunks are known to be missing.
  bool lostSomething() const;

  bool isSimulated(const AssembledOperation& operation) const;
  // Returns the call's arguments, or nullptr if unknown.
  const v1::Call* callOf(const AssembledOperation& operation) const {
    return operation.call == AssembledOperation::kNoCall
               ? nullptr
               : &definitions.calls()[operation.call];
  }
  // Returns where in the program it was issued, or nullptr if unknown.
  const v1::Context* contextOf(const AssembledOperation& operation) const;
  // Returns where in the code it was issued, or nullptr if unknown.
  const v1::Stack* stackOf(const AssembledOperation& operation) const;
  // Returns the line that called it, such as "/job/train.py:120 in forward"; ""
  // if unknown.
  std::string siteOf(const AssembledOperation& operation) const;
  // Returns a text of an operation, such as its algorithm; "several" for
  // kSeveral, "" if unknown.
  std::string methodText(std::uint32_t text) const;
  // Returns an index into definitions.groups(), or StreamDefinitions::kNone.
  std::uint32_t groupOf(const v1::Call& call) const;
  // Returns what executes the call; kUnknownEngine if its group is unknown.
  const EngineTraits& engineOf(const v1::Call& call) const;
  // Returns the global rank of the peer of a send or receive. For a receive
  // from any rank, it is known once the receive has ended.
  std::optional<std::uint32_t> peerOf(const AssembledOperation& operation,
                                      const v1::Call& call) const;
};

}  // namespace traced
