// EngineTraits describes the engines that execute operations: one row per
// backend name. Other code queries these traits and never compares backend
// names. docs/reference/diagnosis.md, "Backends", has the same table.

#pragma once

#include <string_view>

#include "base/operation.h"

namespace traced {

struct EngineTraits {
  enum class Tags {
    kUnknown,
    // Messages with one tag are received in the order in which they were sent.
    kMatched,
    // All messages are received in the order in which they were sent.
    kIgnored,
  };

  std::string_view name;  // "": unknown engine
  // The host executes operations: a returned wait has observed the end, and a
  // future reports it.
  bool on_host = false;
  // Operations run on device streams. A wait or a future refers to the stream,
  // so its return does not prove that the operation has ended.
  bool on_streams = false;
  // Synchronous calls return a Work although they already run on the caller's
  // stream. In other engines, a synchronous call that runs on the caller's
  // stream returns none.
  bool sync_has_work = false;
  // Some operations end only in the caller's wait: see endsOnlyInWait().
  bool some_end_in_wait = false;
  // The operations of a group begin in the order of their calls.
  bool in_order = false;
  // An operation ends on no rank before every rank it depends on has begun it
  // (analysis/job/dependency.h).
  bool ends_prove_starts = false;
  // Two threads execute the operations of a group, so two operations may run at
  // the same time.
  bool two_workers = false;
  // A watchdog thread completes the result's future, so querying it involves
  // only the host. For other engines the query may call the device.
  bool result_is_of_host = false;
  // getFuture() makes the current stream wait for the operation, as wait()
  // does. Waiting for the future then adds nothing.
  bool future_waits = false;
  // The error state is a plain variable: any thread may read it, even while the
  // engine hangs.
  bool reports_error_at_once = false;
  // Its Flight Recorder dumps state for each operation whether it had ended.
  bool dumps_have_ends = false;
  Tags tags = Tags::kUnknown;

  constexpr bool isKnown() const { return !name.empty(); }
};

inline constexpr EngineTraits kEngines[] = {
    {.name = "gloo",
     .on_host = true,
     .some_end_in_wait = true,
     .in_order = true,
     .ends_prove_starts = true,
     .two_workers = true,
     .tags = EngineTraits::Tags::kMatched},
    // The classic engine, under both of its names.
    {.name = "nccl",
     .on_streams = true,
     .in_order = true,
     .ends_prove_starts = true,
     .result_is_of_host = true,
     .reports_error_at_once = true,
     .dumps_have_ends = true,
     .tags = EngineTraits::Tags::kIgnored},
    {.name = "nccl-legacy",
     .on_streams = true,
     .in_order = true,
     .ends_prove_starts = true,
     .result_is_of_host = true,
     .reports_error_at_once = true,
     .dumps_have_ends = true,
     .tags = EngineTraits::Tags::kIgnored},
    {.name = "nccl2",
     .on_streams = true,
     .sync_has_work = true,
     .in_order = true,
     .ends_prove_starts = true,
     .future_waits = true,
     .reports_error_at_once = true,
     .tags = EngineTraits::Tags::kIgnored},
    {.name = "nccl-lazy",
     .on_streams = true,
     .sync_has_work = true,
     .in_order = true,
     .ends_prove_starts = true,
     .future_waits = true,
     .tags = EngineTraits::Tags::kIgnored},
    // torch's backend for tests: every operation is complete when its call
    // returns, regardless of other ranks.
    {.name = "fake", .on_host = true, .in_order = true},
};

// The traits of any other engine: nothing is assumed.
inline constexpr EngineTraits kUnknownEngine;

constexpr const EngineTraits& engineTraits(std::string_view backend) {
  for (const EngineTraits& engine : kEngines) {
    if (engine.name == backend) return engine;
  }
  return kUnknownEngine;
}

// Returns the traits of a backend. `backend_class` is "" if torch's own class
// implements the backend. Another class may reuse the name of the backend that
// it wraps, so nothing is assumed about it.
constexpr const EngineTraits& engineTraits(std::string_view backend,
                                           std::string_view backend_class) {
  return backend_class.empty() ? engineTraits(backend) : kUnknownEngine;
}

// Returns whether Gloo executes the operation inside the caller's wait. The
// Work of such an operation has no future.
constexpr bool glooRunsInWait(Operation op) {
  return isPointToPoint(op) || op == Operation::kReduceScatter ||
         op == Operation::kReduceScatterTensor ||
         op == Operation::kReduceScatterTensorCoalesced;
}

// Returns whether only a wait completes the operation.
constexpr bool endsOnlyInWait(const EngineTraits& engine, Operation op) {
  return engine.some_end_in_wait && glooRunsInWait(op);
}

}  // namespace traced
