// OperationProgress is the state machine of one operation. It combines the
// operation's rows, in any order.
// Assembly, live reading, metrics and the hang reports in the job all use it.
// See docs/reference/format.md, "Rows".

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/engine_traits.h"
#include "base/in_flight.h"
#include "base/instant.h"
#include "trace_io/row.h"
#include "trace_io/wrapping.h"
#include "traced/v1/definitions.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// The kind of row that an error's text is from. The enumerators are in order of
// precedence.
enum class ErrorOrigin : std::uint8_t { kReturn, kDone, kWait, kNone };

enum class OperationState { kIssued, kEnded, kFailed };

// Returns whether the device or the engine reported the end. `source` is from a
// DoneRow.
inline bool isReported(std::uint32_t source) {
  return source == v1::END_SOURCE_DEVICE_EVENT ||
         source == v1::END_SOURCE_COMPLETION_HOOK ||
         source == v1::END_SOURCE_DEVICE_WAIT;
}

struct OperationProgress {
  // Live readers drop an operation after this time, because its next records
  // may never be written.
  static constexpr std::int64_t kMaxDurationNs = 10'000'000'000;
  // How long after a wait a better end may still be recorded.
  static constexpr std::int64_t kBetterEndNs = 100'000'000;

  std::uint64_t id = 0;
  std::uint64_t seq = 0;    // 0: unknown
  std::uint64_t batch = 0;  // 0: none
  Instant issued;
  Instant returned;
  Instant started;
  Instant ended;
  Instant wait_began;
  Instant wait_ended;
  Instant released;
  std::uint64_t stall_ns_plus_1 = 0;
  // Id of a text of the stream. 0: none.
  std::uint32_t error = 0;
  // Group rank of the sender that a receive from any source matched, plus 1.
  std::uint32_t source_rank_plus_1 = 0;
  v1::EndSource end_source = v1::END_SOURCE_UNSPECIFIED;
  ErrorOrigin error_origin = ErrorOrigin::kNone;
  bool failed = false;
  // The operation is no longer in flight, and its end is unknown.
  bool over = false;

  // Applies an issue row. The first issue row counts; the caller drops others.
  // Rows of other kinds are accepted in any order.
  [[gnu::always_inline]] void apply(const IssueRow& row) {
    issued = Instant(row.issue_ns);
    seq = row.seq;
    batch = row.batch;
  }
  // Only the first return row counts.
  [[gnu::always_inline]] void apply(const ReturnRow& row) {
    if (returned.known()) return;
    returned = Instant(row.return_ns);
    failed |= row.outcome == kThrew;
    noteError(row.error, ErrorOrigin::kReturn);
  }
  // No source reports an end too early, so the earliest of several is the best.
  // The first end that is not from a wait decides whether the operation failed.
  [[gnu::always_inline]] void apply(const DoneRow& row) {
    const bool is_first = !ended.known() || end_source == v1::END_SOURCE_WAIT;
    const bool is_best = is_first || row.end_ns < ended.ns();
    // The source of the best end determines the duration. If it has none, the
    // first other source that has one does. An engine starts measuring after an
    // event, so `started` is computed backwards from the end.
    const auto known_ns = between(started, ended);
    const bool has_duration =
        row.engine_ns_plus_1 > 0 && (is_best || !known_ns);
    const std::uint64_t engine_ns_plus_1 = has_duration ? row.engine_ns_plus_1
                                           : known_ns   ? *known_ns + 1
                                                        : 0;
    if (is_first) {
      failed |= row.outcome == kThrew;
      noteError(row.error, ErrorOrigin::kDone);
    }
    if (is_best) {
      ended = Instant(row.end_ns);
      end_source = static_cast<v1::EndSource>(row.source);
    }
    if (engine_ns_plus_1 > 0) {
      started = Instant(wrappingDifference(
          ended.ns(), static_cast<std::int64_t>(engine_ns_plus_1 - 1)));
    }
  }
  // Only the first wait row counts. A later row is about the same wait and may
  // add the stall.
  [[gnu::always_inline]] void apply(const WaitRow& row) {
    if (stall_ns_plus_1 == 0) stall_ns_plus_1 = row.stall_ns_plus_1;
    if (wait_began.known()) return;
    wait_began = Instant(row.wait_begin_ns);
    wait_ended = Instant(row.endNs());
    failed |= row.outcome == kThrew || row.outcome == kReturnedFalse;
    noteError(row.error, ErrorOrigin::kWait);
    source_rank_plus_1 = row.source_rank_plus_1;
    const bool saw_end = row.saw_end == 1 && row.outcome != kThrew;
    if (saw_end && !ended.known()) {
      ended = wait_ended;
      end_source = v1::END_SOURCE_WAIT;
    }
  }
  // Only the first release row counts.
  [[gnu::always_inline]] void apply(const ReleaseRow& row) {
    if (!released.known()) released = Instant(row.release_ns);
  }

  OperationState state() const {
    if (failed) return OperationState::kFailed;
    return ended.known() ? OperationState::kEnded : OperationState::kIssued;
  }
  // Returns whether the program no longer waits for the operation.
  bool isAbandoned() const { return wait_ended.known() || released.known(); }
  // Returns whether no further record is expected, except for a better end.
  bool isSettled() const {
    return failed || over || (isAbandoned() && ended.known());
  }
  // Returns whether a future may still report an end that is earlier than the
  // end of the wait.
  bool mayEndBetter(std::int64_t now_ns) const {
    if (end_source != v1::END_SOURCE_WAIT) return false;
    const auto since_ns = between(wait_ended, Instant(now_ns));
    return since_ns && *since_ns < std::uint64_t{kBetterEndNs};
  }
  // Returns how long the wait, or the stream in its place, was blocked.
  std::optional<std::uint64_t> exposedNs() const {
    if (stall_ns_plus_1 > 0) return stall_ns_plus_1 - 1;
    return between(wait_began, wait_ended);
  }
  // Return when that began and ended. Unknown if no record shows it.
  Instant blockedFrom() const {
    if (stall_ns_plus_1 == 0) return wait_began;
    if (!ended.known()) return {};
    return Instant(wrappingDifference(
        ended.ns(), static_cast<std::int64_t>(stall_ns_plus_1 - 1)));
  }
  Instant blockedUntil() const {
    return stall_ns_plus_1 == 0 ? wait_ended : ended;
  }
  // How a program waits for an operation.
  struct Waiting {
    // A wait blocks a stream, and the host goes on.
    bool on_stream = false;
    // It runs on the caller's stream, which it blocks without a wait.
    bool on_callers_stream = false;
  };
  // Returns whether the program, or its stream on a device, may have waited
  // without a record of how long. Valid only for operations that the program
  // can wait for itself.
  bool mayHaveUnseenWait(const Waiting& waiting) const {
    const bool shows_length =
        !waiting.on_callers_stream &&
        (stall_ns_plus_1 > 0 || between(ended, wait_began));
    const bool is_seen = waiting.on_stream ? shows_length : wait_ended.known();
    if (is_seen || (failed && !ended.known())) return false;
    return !between(ended, returned);
  }
  // Returns the earliest possible begin of that wait.
  Instant unseenWaitBegin(const Waiting& waiting) const {
    if (!waiting.on_callers_stream && wait_began.known()) return wait_began;
    const Instant begin = returned.known() ? returned : issued;
    return waiting.on_callers_stream && started.isAfter(begin) ? started
                                                               : begin;
  }
  // Returns the latest possible end of an unrecorded wait, if a record shows
  // it. `has_no_future`: the program can only wait for the Work.
  Instant unseenWaitEnd(bool has_no_future) const {
    return ended.known() || !has_no_future ? ended : released;
  }

  // Returns whether the operation is in flight. All readers use this rule: an
  // operation is in flight until its end is known or proven.
  // A released Work proves nothing, because DDP releases it right after the
  // call. If no record can prove the end, the state is unknown.
  // `calls` are the calls that share this operation's completion reporting. For
  // EndShownBy::kReports without them the state is unknown. `may_lack_records`:
  // some of the operation's records may have been lost.
  InFlight inFlight(EndShownBy shown, const ReportedCalls* calls,
                    bool may_lack_records) const {
    if (ended.known() || failed || over) return InFlight::kNo;
    if (may_lack_records) return InFlight::kUnknown;
    if (!returned.known()) return InFlight::kYes;
    switch (shown) {
      case EndShownBy::kUnknown:
        return wait_ended.known() ? InFlight::kNo : InFlight::kUnknown;
      case EndShownBy::kNothing:
        return InFlight::kNo;
      case EndShownBy::kFuture:
        return InFlight::kYes;
      case EndShownBy::kWait:
        return isAbandoned() ? InFlight::kNo : InFlight::kYes;
      case EndShownBy::kReports:
        return calls ? calls->stateOf(id, wait_ended.known())
                     : InFlight::kUnknown;
    }
    return InFlight::kUnknown;
  }

 private:
  static constexpr std::uint32_t kThrew = 1;
  static constexpr std::uint32_t kReturnedFalse = 2;

  void noteError(std::uint32_t text, ErrorOrigin origin) {
    if (text == 0 || origin >= error_origin) return;
    error = text;
    error_origin = origin;
  }
};

// A row that changes the progress of an operation.
template <typename Row>
concept ProgressRow = requires(OperationProgress& op, const Row& row) {
  op.apply(row);
};

// Updates `calls`, which tracks `op`, after a row was applied to `op`. Calls
// onHole(id) for each call that ended without a report before `op`.
inline void learn(const ReturnRow&, const OperationProgress& op,
                  ReportedCalls& calls) {
  if (!op.failed && !op.ended.known()) calls.returned(op.id);
}
template <typename OnHole = void (*)(std::uint64_t)>
void learn(
    const DoneRow& row, const OperationProgress& op, ReportedCalls& calls,
    OnHole onHole = [](std::uint64_t) {}) {
  if (isReported(row.source)) {
    calls.ended(op.id, row.source != v1::END_SOURCE_DEVICE_WAIT, onHole);
  } else {
    calls.forget(op.id);
  }
}
inline void learn(const WaitRow&, const OperationProgress& op,
                  ReportedCalls& calls) {
  if (op.failed || op.ended.known()) calls.forget(op.id);
}
inline void learn(const ReleaseRow&, const OperationProgress&, ReportedCalls&) {
}

// Returns an iterator to the first operation whose id is at least `id`.
// `operations` must be sorted by id.
template <typename Operations>
auto firstFrom(Operations& operations, std::uint64_t id) {
  return std::lower_bound(
      operations.begin(), operations.end(), id,
      [](const auto& op, std::uint64_t at) { return op.id < at; });
}

// Finds the operation with this id; returns end() if it is absent. `operations`
// must be sorted by id.
// Fast for the usual cases: the latest operation, the one found before (at
// index `near`) and its successor. Updates `near`.
template <typename Operations>
auto findNear(Operations& operations, std::size_t& near, std::uint64_t id) {
  const auto end = operations.end();
  if (!operations.empty() && operations.back().id == id) return end - 1;
  const auto at = [&](std::size_t index) {
    return operations.begin() + static_cast<std::ptrdiff_t>(index);
  };
  for (std::size_t i = near; i < std::min(near + 2, operations.size()); ++i) {
    if (operations[i].id == id) return at(near = i);
  }
  const auto found = firstFrom(operations, id);
  if (found == end || found->id != id) return end;
  near = static_cast<std::size_t>(found - operations.begin());
  return found;
}

// Returns whether the call was made with async_op=False, and so waits itself.
inline bool waitsAtOnce(const v1::Call& call) {
  return call.has_async() && !call.async();
}

// Returns how a program waits for the operation of a call. With an unknown
// engine, a wait for tensors of a device may block only a stream.
inline OperationProgress::Waiting waitingFor(const EngineTraits& engine,
                                             const v1::Call& call) {
  const bool on_device = call.device() != v1::DEVICE_TYPE_UNSPECIFIED &&
                         call.device() != v1::DEVICE_TYPE_CPU;
  const bool on_stream = engine.on_streams || (!engine.isKnown() && on_device);
  // Messages have no async_op: their Work is waited for explicitly.
  return {on_stream, on_stream && waitsAtOnce(call)};
}

}  // namespace traced
