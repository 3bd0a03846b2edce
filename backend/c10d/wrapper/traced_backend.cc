#include "c10d/wrapper/traced_backend.h"

#include "c10d/wrapper/record_call.h"
#include "c10d/wrapper/traced_work.h"
#include "recorder/devices.h"

namespace traced {
namespace {

// Returns whether the operation may be captured. A captured one does not
// execute, so its wait and result prove nothing.
template <typename Issued>
bool mayBeCaptured(const Issued& issued) {
  return issued.stream.capture.status != DeviceEvents::Capture::Status::kNone;
}

}  // namespace

TracedBackend::TracedBackend(c10::intrusive_ptr<c10d::Backend> inner,
                             Recorder& recorder,
                             std::unique_ptr<RecordedGroup> group,
                             MakeEvents make_events, bool only_cpu)
    : ForwardingBackend(std::move(inner)),
      recorder_(recorder),
      group_(std::move(group)),
      only_cpu_(only_cpu),
      make_events_(make_events),
      communicator_(recorder.devices().newCommunicator()),
      engine_(group_->info().engine()),
      no_result_(!engine_.result_is_of_host) {
  // c10d reads these from the wrapper through functions that are not virtual.
  pg_uid_ = inner_->getGroupUid();
  pg_desc_ = inner_->getGroupDesc();
  bound_device_id_ = inner_->getBoundDeviceId();
  if (bound_device_id_) device_ = bound_device_id_->index();
  watchCompletions();
  watchFailures();
}

void TracedBackend::decideScope(std::uint64_t job,
                                const NodeMap::Lookup& lookup) {
  if (scope_decided_ || Recorder::current() != &recorder_) return;
  scope_decided_ = recorder_.decideScope(*group_, job, lookup);
}

DeviceTimes* TracedBackend::timesOf(const CallDescriber& call) noexcept {
  if (!make_events_) return nullptr;
  const auto& fields = call.call().fields();
  if (fields.device == DeviceType::kCuda) {
    device_.store(fields.device_index, std::memory_order_relaxed);
  }
  const int device = device_.load(std::memory_order_relaxed);
  return device == kNoDevice ? nullptr : timesOf(device);
}

DeviceTimes* TracedBackend::timesOf(int device) noexcept {
  if (device_unknown_.load(std::memory_order_relaxed)) return nullptr;
  DeviceTimes* times = recorder_.devices().find(device);
  if (!times) [[unlikely]] {
    times = recorder_.devices().start(device, make_events_(device));
    if (!times) device_unknown_.store(true, std::memory_order_relaxed);
  }
  return times;
}

DeviceCopies* TracedBackend::copiesOf(const CallTensors& call) noexcept {
  if (!make_events_) return nullptr;
  const std::optional<int> device = call.cudaDevice();
  if (!device || !timesOf(*device)) return nullptr;
  return recorder_.devices().copies(*device);
}

// For unknown engines, relies on c10d's contract: wait() returns once the
// results are readable. On the CPU only the host reads them.
bool TracedBackend::notifiesHost(DeviceType device) const noexcept {
  if (engine_.isKnown()) return engine_.on_host;
  return device == DeviceType::kCpu ||
         (device == DeviceType::kNone && only_cpu_);
}

// A synchronous call runs on the caller's stream. Members of a batch do not run
// by themselves. Whether a batch is synchronous is known only at its end: it
// then has no Work, unless the engine always returns one.
bool TracedBackend::onCallersStream(Operation op,
                                    const Issued& issued) const noexcept {
  if (!issued.times || simulating_.load(std::memory_order_relaxed)) {
    return false;
  }
  if (op == Operation::kCoalesced) return !engine_.sync_has_work;
  return issued.sync && batch_.load(std::memory_order_relaxed) == 0;
}

// Members of a batch have no ends of their own.
bool TracedBackend::endsByItself(const Issued& issued) const noexcept {
  return !mayBeCaptured(issued) && batch_.load(std::memory_order_relaxed) == 0;
}

// An unknown engine may let waits for members of a batch return earlier.
bool TracedBackend::waitShowsEnd(const Issued& issued) const noexcept {
  return issued.notifies_host && (engine_.isKnown() || endsByItself(issued));
}

TracedBackend::~TracedBackend() {
  unwatchFailures();
  unwatchCompletions();
  // The group is being destroyed, so its last records should reach the file
  // soon.
  if (Recorder::current() == &recorder_) recorder_.requestFlush();
}

TracedBackend::Work TracedBackend::wrap(Recorder& recorder,
                                        const Issued& issued,
                                        std::int64_t return_ns,
                                        Operation operation,
                                        Work inner) noexcept {
  const bool sampled = issued.own_ns != OwnTime::kNotSampled;
  if (!inner) {
    if (sampled) recorder.addOwnTime(issued.own_ns + nowNs() - return_ns);
    return inner;
  }
  const bool ends_by_itself = endsByItself(issued);
  if (completions_) {
    if (ends_by_itself) onCompletion(issued, *inner);
  } else if (!engine_.on_host && ends_by_itself) {
    observeResult(issued, *inner);
  }
  // A synchronous caller waits at once: the wait shows the end, and a callback
  // would only add cost. The cost and effects of another engine's future are
  // unknown, so only a future that the program itself requests is observed.
  if (issued.async && engine_.on_host && !endsOnlyInWait(engine_, operation)) {
    observeFuture(recorder, issued.op, operation, *inner);
  }
  const bool from_any_source =
      operation == Operation::kRecv &&
      inner->retrieveOpType() == c10d::OpType::RECVANYSOURCE;
  std::optional<std::int64_t> unreported_return_ns;
  if (issued.waits_at_once) unreported_return_ns = return_ns;
  try {
    const bool shows_end = waitShowsEnd(issued);
    auto work = c10::make_intrusive<TracedWork>(
        std::move(inner), recorder, issued.op, unreported_return_ns,
        TracedWork::Shows{.wait = shows_end,
                          .future = shows_end && !engine_.isKnown()},
        engine_.future_waits, from_any_source,
        mayBeCaptured(issued) || endsWithCall(issued) ? nullptr : issued.times,
        issued.communicator);
    if (sampled) work->sampleOwnTime(issued.own_ns + nowNs() - return_ns);
    return work;
  } catch (const std::bad_alloc&) {
    // Allocation precedes the construction, so `inner` was not moved. The wait
    // and the release stay unobserved.
    if (unreported_return_ns) recorder.returned(issued.op, return_ns);
    return inner;
  }
}

Examinations TracedBackend::endingWith(
    Operation op, std::uint64_t batch,
    std::shared_ptr<Examination> own) noexcept {
  if (op == Operation::kCoalesced) return batch_examinations_.take(batch);
  try {
    if (own && own->onDevice() && batch != 0) {
      batch_examinations_.add(batch, std::move(own));
    } else if (own) {
      return {std::move(own)};
    }
  } catch (const std::bad_alloc&) {  // the end is not examined
  }
  return {};
}

// A call on a device without a Work has run on the caller's stream.
TracedBackend::Work TracedBackend::examineEnds(Examinations calls,
                                               const Issued& issued,
                                               Work work) noexcept {
  const bool on_device = calls.front()->onDevice();
  if (mayBeCaptured(issued)) {
    for (const auto& call : calls) call->skipEnd(SkipReason::kCaptured);
  } else if (work && (on_device || waitShowsEnd(issued))) {
    return ExaminedWork::around(std::move(work), std::move(calls));
  } else if (on_device) {
    for (const auto& call : calls) call->examineEnd();
  } else {
    for (const auto& call : calls) call->skipEnd(SkipReason::kDevice);
  }
  return work;
}

void TracedBackend::observeFuture(Recorder& recorder, OpId op,
                                  Operation operation,
                                  c10d::Work& work) noexcept {
  auto& no_future = no_future_[static_cast<std::size_t>(operation)];
  if (no_future.load(std::memory_order_relaxed)) return;
  try {
    if (const auto future = work.getFuture())
      recordEndOf(*future, recorder, op);
  } catch (...) {
    no_future.store(true, std::memory_order_relaxed);
  }
}

void TracedBackend::setGroupUid(const std::string& uid) {
  Backend::setGroupUid(uid);
  inner_->setGroupUid(uid);
  group_->setLabels(uid, getGroupDesc());
}

#ifdef TRACED_BACKEND_HAS_setBoundDeviceId
void TracedBackend::setBoundDeviceId(std::optional<at::Device> device) {
  Backend::setBoundDeviceId(device);
  inner_->setBoundDeviceId(device);
}
#endif

}  // namespace traced
