// What is known of the engines that carry operations out: one row for each name
// of a backend. Who asks about a backend asks here, and compares no names.
// docs/reference/diagnosis.md, "Backends", has the same table.

#pragma once

#include <string_view>

#include "base/operation.h"

namespace traced {

struct EngineTraits {
  enum class Tags {
    kUnknown,
    // Within a tag messages are taken in the order in which they were sent.
    kMatched,
    // Messages are taken in the order in which they were sent.
    kIgnored,
  };

  std::string_view name;  // "": any other
  // The host carries operations out: a wait that returned has seen the end, and
  // a future tells it.
  bool on_host = false;
  // Operations run on streams of a device; waits and futures speak of those.
  bool on_streams = false;
  // Synchronous calls return a Work, though they have run on the caller's
  // stream when they return. Of other engines those that return none have.
  bool sync_has_work = false;
  // Some end in the caller's wait and nowhere else: see endsOnlyInWait().
  bool some_end_in_wait = false;
  // The operations of a group are begun in the order of their calls.
  bool in_order = false;
  // An operation ends on no rank before those on whom it depends have begun it
  // (analysis/job/dependency.h).
  bool ends_prove_starts = false;
  // Two threads carry out the operations of a group, so that two may be under
  // way together.
  bool two_workers = false;
  // A watchdog completes the future of the result, which is the host's alone.
  // Other results may ask the device.
  bool result_is_of_host = false;
  // Whether it has failed is a variable that anybody may ask for, also while
  // the engine hangs.
  bool reports_error_at_once = false;
  // Its Flight Recorder dumps say of each operation whether it had ended.
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
     .reports_error_at_once = true,
     .tags = EngineTraits::Tags::kIgnored},
    {.name = "nccl-lazy",
     .on_streams = true,
     .sync_has_work = true,
     .in_order = true,
     .ends_prove_starts = true,
     .tags = EngineTraits::Tags::kIgnored},
    // torch's own, for tests: all is over when a call returns, whatever others
    // do.
    {.name = "fake", .on_host = true, .in_order = true},
};

// Of any other engine nothing is known, and nothing is promised.
inline constexpr EngineTraits kUnknownEngine;

constexpr const EngineTraits& engineTraits(std::string_view backend) {
  for (const EngineTraits& engine : kEngines) {
    if (engine.name == backend) return engine;
  }
  return kUnknownEngine;
}

// `backend_class`: "" where it is torch's own for that name. Another one's
// names say nothing: a wrapper may have that of what it wraps.
constexpr const EngineTraits& engineTraits(std::string_view backend,
                                           std::string_view backend_class) {
  return backend_class.empty() ? engineTraits(backend) : kUnknownEngine;
}

// Those that Gloo runs inside the caller's wait: their Works have no future.
constexpr bool glooRunsInWait(Operation op) {
  return isPointToPoint(op) || op == Operation::kReduceScatter ||
         op == Operation::kReduceScatterTensor ||
         op == Operation::kReduceScatterTensorCoalesced;
}

// Whether nothing but a wait ever completes an operation.
constexpr bool endsOnlyInWait(const EngineTraits& engine, Operation op) {
  return engine.some_end_in_wait && glooRunsInWait(op);
}

}  // namespace traced
