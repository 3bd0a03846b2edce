// Implements how TracedBackend records one call. Included by the files that
// implement its operations.

#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/group_label.h"
#include "c10d/callbacks/observers.h"
#include "c10d/values/call_tensors.h"
#include "c10d/wrapper/call_range.h"
#include "c10d/wrapper/device_call.h"
#include "c10d/wrapper/error_text.h"
#include "c10d/wrapper/examined_work.h"
#include "c10d/wrapper/observed_work.h"
#include "c10d/wrapper/traced_backend.h"
#include "recorder/call_extras.h"
#include "ring_io/chunks/operation_summary.h"

namespace traced {

// The sequence number of unnumbered calls.
inline std::uint64_t notNumbered() { return 0; }

// If `describe` throws, returns what has been described so far, because
// describing must never fail a job.
template <typename Describe>
CallDescriber TracedBackend::described(Operation operation,
                                       Describe& describe) noexcept {
  CallDescriber describer(operation, *group_);
  describer.simulated(simulating_.load(std::memory_order_relaxed));
  try {
    describe(describer);
  } catch (...) {
  }
  return describer;
}

// Records the issue.
template <typename Describe>
TracedBackend::Issued TracedBackend::issue(Recorder& recorder, Operation op,
                                           std::uint64_t seq,
                                           Describe& describe) noexcept {
  const std::int64_t issue_ns = nowNs();
  CallDescriber describer = described(op, describe);
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
                                          Describe describe, Forward forward,
                                          int peer) {
  // Numbers advance while tracing is off, so that ranks agree when it is on
  // again. A call that is only estimated has no number.
  Recorder* recorder = recording(peer);
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
  if (const CallExtras* extras = recorder.callExtras()) [[unlikely]] {
    return recordWithExtras(*extras, recorder, operation, seq, describe,
                            forward);
  }
  const Issued issued = issue(recorder, operation, seq, describe);
  return forwardIssued(recorder, operation, issued, forward);
}

// Returns the examination of the call's tensors, or nullptr if it has none or
// memory is short.
template <typename Describe>
std::shared_ptr<Examination> TracedBackend::examine(const ValueOptions& options,
                                                    Operation operation,
                                                    std::uint64_t seq,
                                                    Describe& describe) {
  if (!Examination::includes(options, seq) ||
      simulating_.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  try {
    CallTensors call;
    describe(call);
    if (call.empty()) return nullptr;
    DeviceCopies* const copies = copiesOf(call);
    const GroupInfo& group = group_->info();
    return std::make_shared<Examination>(
        options, operation, std::move(call),
        GroupPlace{group.group_rank,
                   static_cast<std::int64_t>(group.members.size())},
        copies);
  } catch (...) {
    return nullptr;
  }
}

template <typename Describe>
std::shared_ptr<ObservedCall> TracedBackend::observe(
    Operation operation, std::uint64_t seq, Describe& describe) noexcept {
  Observers* const observers = Observers::current();
  if (!observers || simulating_.load(std::memory_order_relaxed)) return nullptr;
  std::shared_ptr<ObservedCall> call;
  try {
    const GroupInfo& group = group_->info();
    call = std::make_shared<ObservedCall>();
    call->registrations = observers->registrationsFor(
        operation, groupLabel(group.name, group.desc), seq);
    if (call->registrations.empty()) return nullptr;
    std::call_once(observed_once_, [&] {
      observed_group_ = std::make_shared<const GroupInfo>(group);
    });
    const CallDescriber describer = described(operation, describe);
    describe(call->shapes);
    call->op = operation;
    call->seq = seq;
    call->group = observed_group_;
    call->fields = describer.call().fields();
    if (wantTensors(call->registrations)) describe(call->tensors);
    observers->pass({call, false, std::nullopt, call->tensors});
    return call;
  } catch (...) {
    if (call) countDropped(*call);
    return nullptr;
  }
}

template <typename Describe, typename Forward>
[[gnu::noinline]] TracedBackend::Work TracedBackend::recordWithExtras(
    const CallExtras& extras, Recorder& recorder, Operation operation,
    std::uint64_t seq, Describe& describe, Forward& forward) {
  // First, because a callback may stop the program here, and the operation is
  // then not issued yet.
  const auto observed = extras.observed ? observe(operation, seq, describe)
                                        : std::shared_ptr<ObservedCall>();
  const std::uint64_t batch = batch_.load(std::memory_order_relaxed);
  auto examination = examine(extras.values, operation, seq, describe);
  const Issued issued = issue(recorder, operation, seq, describe);
  if (examination) {
    examination->issued(recorder, issued.op, issued.communicator);
  }
  auto in_range = [&] {
    std::optional<CallRange> range;
    if (const ToolRanges* ranges = extras.ranges) {
      CallDescriber describer = described(operation, describe);
      const DeviceEvents::Capture& capture = issued.stream.capture;
      if (capture.status == DeviceEvents::Capture::Status::kActive) {
        describer.graph(capture.graph);
      }
      range.emplace(
          *ranges, engine_.on_host, *group_, describer.call(),
          ToolRanges::Issue{seq, batch, issued.op},
          // At the end of a batch NCCL executes its members, not this call.
          operation == Operation::kCoalesced
              ? OperationInCall::Name{}
              : OperationInCall::Name{&recorder, issued.op});
    }
    return forward();
  };
  Work work;
  try {
    work = forwardIssued(recorder, operation, issued, in_range);
  } catch (...) {
    if (examination) examination->skipEnd(SkipReason::kFailed);
    if (observed) passEnd(observed, true);
    throw;
  }
  const bool shows_end = waitShowsEnd(issued);
  Examinations ending = endingWith(operation, batch, std::move(examination));
  if (!ending.empty()) {
    work = examineEnds(std::move(ending), issued, std::move(work));
  }
  // A captured operation runs later, when the program replays the graph.
  const bool captured =
      issued.stream.capture.status == DeviceEvents::Capture::Status::kActive;
  if (observed && work && !captured) {
    work = ObservedWork::around(std::move(work), observed, shows_end);
  } else if (observed && !work && endsByItself(issued)) {
    passEnd(observed, shows_end ? std::optional(false) : std::nullopt);
  }
  return work;
}

template <typename Forward>
[[gnu::always_inline]] inline TracedBackend::Work TracedBackend::forwardIssued(
    Recorder& recorder, Operation operation, const Issued& issued,
    Forward& forward) {
  DeviceCall on_device(issued.times, issued.communicator);
  if (onCallersStream(operation, issued)) on_device.begin(issued.stream);
  Work work = observed(recorder, issued.op, forward);
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
