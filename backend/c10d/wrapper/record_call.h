// Implements how TracedBackend records one call. Included by the files that
// implement its operations.

#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "c10d/wrapper/call_range.h"
#include "c10d/wrapper/device_call.h"
#include "c10d/wrapper/error_text.h"
#include "c10d/wrapper/traced_backend.h"
#include "ring_io/chunks/operation_summary.h"

namespace traced {

// The sequence number of unnumbered calls.
inline std::uint64_t notNumbered() { return 0; }

// Records the issue. If `describe` throws, the call is recorded with what has
// been described so far, because describing must never fail a job.
template <typename Describe>
TracedBackend::Issued TracedBackend::issue(Recorder& recorder, Operation op,
                                           std::uint64_t seq,
                                           Describe& describe) noexcept {
  const std::int64_t issue_ns = nowNs();
  CallDescriber describer(op, *group_);
  describer.simulated(simulating_.load(std::memory_order_relaxed));
  try {
    describe(describer);
  } catch (...) {
  }
  DeviceTimes* const times = timesOf(describer);
  DeviceTimes::StreamState stream;
  if (times) {
    stream = times->streamState();
    if (stream.capture.status == DeviceEvents::Capture::Status::kActive) {
      describer.graph(stream.capture.graph);
    }
  }
  const std::uint64_t batch = batch_.load(std::memory_order_relaxed);
  const OpId id = recorder.issue(*group_, describer.call(), describer.buffers(),
                                 seq, batch, issue_ns);
  const CallDescription::Fields& fields = describer.call().fields();
  return {id,
          issue_ns,
          OwnTime::sampled(seq) ? nowNs() - issue_ns : OwnTime::kNotSampled,
          fields.async_plus_1 == 2,
          fields.async_plus_1 == 1,
          fields.async_plus_1 == 1 && engine_.on_host && batch == 0,
          notifiesHost(fields.device),
          std::max(fields.bytes_in, fields.bytes_out),
          times,
          stream,
          communicator_.load(std::memory_order_relaxed)};
}

// Forwards a call. Records an exception and rethrows it unchanged.
template <typename Forward>
auto TracedBackend::observed(Recorder& recorder, OpId op, Forward forward)
    -> decltype(forward()) {
  try {
    return forward();
  } catch (const std::exception& error) {
    const std::int64_t threw_ns = nowNs();
    reportError(error,
                [&](const char* text) { recorder.threw(op, threw_ns, text); });
    throw;
  } catch (...) {
    recorder.threw(op, nowNs(), "unknown exception");
    throw;
  }
}

template <typename Number, typename Describe, typename Forward>
TracedBackend::Work TracedBackend::record(Operation operation, Number number,
                                          Describe describe, Forward forward) {
  // Numbers advance while tracing is off, so that ranks agree when it is on
  // again. A call that is only estimated has no number.
  Recorder* recorder = recording();
  if (recorder) recorder->prepare();
  const std::uint64_t seq =
      simulating_.load(std::memory_order_relaxed) ? notNumbered() : number();
  if (!recorder) return forward();
  return recordNumbered(*recorder, operation, seq, describe, forward);
}

// Not inlined, so that a call that is only forwarded does not pay for this
// frame.
template <typename Describe, typename Forward>
[[gnu::noinline]] TracedBackend::Work TracedBackend::recordNumbered(
    Recorder& recorder, Operation operation, std::uint64_t seq,
    Describe& describe, Forward& forward) {
  const Issued issued = issue(recorder, operation, seq, describe);
  DeviceCall on_device(issued.times, issued.communicator);
  if (onCallersStream(operation, issued)) on_device.begin(issued.stream);
  std::optional<CallRange> range;
  if (const ToolRanges* ranges = recorder.toolRanges()) [[unlikely]] {
    range.emplace(
        *ranges, engine_.on_host,
        NvtxRanges::Payload{operationName(operation), group_->id(), seq,
                            issued.bytes, issued.op, ranges->labels()},
        // At the end of a batch NCCL executes its members, not this call.
        operation == Operation::kCoalesced
            ? OperationInCall::Name{}
            : OperationInCall::Name{&recorder, issued.op});
  }
  Work work = observed(recorder, issued.op, forward);
  range.reset();
  // Not below the issue time: the clock may be corrected by a microsecond
  // meanwhile (base/tick_clock.h).
  const std::int64_t return_ns = std::max(nowNs(), issued.issue_ns);
  if (!work || !issued.waits_at_once) recorder.returned(issued.op, return_ns);
  if (!work || endsWithCall(issued)) on_device.end(issued.op);
  if (operation == Operation::kMonitoredBarrier) {  // has no Work
    recorder.done(issued.op, return_ns, EndSource::kHostCall);
  }
  return wrap(recorder, issued, return_ns, operation, std::move(work));
}

template <typename Describe, typename Forward>
TracedBackend::Work TracedBackend::collective(Operation op, Describe describe,
                                              Forward forward) {
  return record(
      op, [this] { return group_->nextCollective(); }, describe, forward);
}

template <typename Forward>
auto TracedBackend::manage(Operation operation, Forward forward)
    -> decltype(forward()) {
  Recorder* recorder = recording();
  if (!recorder) return forward();
  const auto undescribed = [](CallDescriber&) {};
  const OpId op = issue(*recorder, operation, notNumbered(), undescribed).op;
  if constexpr (std::is_void_v<decltype(forward())>) {
    observed(*recorder, op, forward);
    recorder->returned(op, nowNs());
  } else {
    auto result = observed(*recorder, op, forward);
    recorder->returned(op, nowNs());
    return result;
  }
}

}  // namespace traced
