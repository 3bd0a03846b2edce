#include "c10d/wrapper/traced_work.h"

#include <algorithm>

#include "c10d/wrapper/device_call.h"
#include "c10d/wrapper/error_text.h"
#include "c10d/wrapper/work_registry.h"

namespace traced {

TracedWork::TracedWork(c10::intrusive_ptr<c10d::Work> inner, Recorder& recorder,
                       OpId op, std::optional<std::int64_t> return_ns,
                       Shows shows, bool future_waits, bool from_any_source,
                       DeviceTimes* times, CommunicatorId communicator)
    : ForwardingWork(std::move(inner)),
      recorder_(recorder),
      op_(op),
      return_ns_(return_ns),
      shows_(shows),
      future_waits_(future_waits),
      from_any_source_(from_any_source),
      times_(times),
      communicator_(communicator) {}

TracedWork::~TracedWork() {
  if (!waited_.load(std::memory_order_relaxed)) recordRelease();
  const std::int64_t own_ns = own_ns_.load(std::memory_order_relaxed);
  if (own_ns != OwnTime::kNotSampled) recorder_.addOwnTime(own_ns);
}

// Called only without a prior wait, which would already have recorded
// everything.
void TracedWork::recordRelease() noexcept {
  const std::int64_t release_ns = nowNs();
  if (awaited_ && awaited_->released(release_ns)) return;
  if (return_ns_) recorder_.returned(op_, *return_ns_);
  recorder_.released(op_, release_ns);
  addOwnTimeSince(release_ns);
}

bool TracedWork::wait(std::chrono::milliseconds timeout) {
  leaveRegistry(*this);
  // Two simultaneous waits may both be recorded, and readers use the first. An
  // atomic exchange would cost as much as the record.
  if (waited_.load(std::memory_order_relaxed)) return inner_->wait(timeout);
  waited_.store(true, std::memory_order_relaxed);

  DeviceCall on_device(times_, communicator_);
  WaitRecord record = beginWait(on_device);
  try {
    const bool completed = inner_->wait(timeout);
    endWait(record);
    recordWait(record, completed);
    if (completed) on_device.endWait(record);
    addOwnTimeSince(record.begin_ns +
                    static_cast<std::int64_t>(record.wait_ns));
    return completed;
  } catch (const std::exception& error) {
    endWait(record);
    reportError(error, [&](const char* text) {
      recorder_.waitThrew(record, text, return_ns_);
    });
    throw;
  } catch (...) {
    endWait(record);
    recorder_.waitThrew(record, "unknown exception", return_ns_);
    throw;
  }
}

WaitRecord TracedWork::beginWait(DeviceCall& on_device) noexcept {
  if (times_ && Recorder::current() == &recorder_) on_device.beginWait();
  WaitRecord record{};
  record.op = op_;
  record.begin_ns = nowNs();
  return record;
}

void TracedWork::endWait(WaitRecord& record) noexcept {
  // Not below 0: the clock may be corrected by a microsecond meanwhile.
  record.wait_ns = static_cast<std::uint64_t>(
      std::max<std::int64_t>(nowNs() - record.begin_ns, 0));
}

void TracedWork::recordWait(WaitRecord& record, bool completed) noexcept {
  record.outcome = completed ? Outcome::kOk : Outcome::kFalse;
  record.saw_end = completed && shows_.wait;
  if (from_any_source_ && completed) {
    try {
      record.source_rank_plus_1 =
          static_cast<std::uint32_t>(inner_->sourceRank() + 1);
    } catch (...) {  // unknown: stays absent
    }
  }
  recorder_.waited(record, return_ns_);
}

c10::intrusive_ptr<c10::ivalue::Future> TracedWork::waitInFuture() {
  DeviceCall on_device(times_, communicator_);
  WaitRecord record = beginWait(on_device);
  record.by_future = true;
  auto future = inner_->getFuture();
  endWait(record);
  recordWait(record, /*completed=*/true);
  on_device.endWait(record);
  return future;
}

c10::intrusive_ptr<c10::ivalue::Future> TracedWork::getFuture() {
  if (future_waits_ && !waited_.exchange(true)) return waitInFuture();
  auto future = inner_->getFuture();
  if (!future || has_future_.exchange(true)) return future;
  if (shows_.future) {
    try {
      recordEndOf(*future, recorder_, op_);
    } catch (...) {  // its end stays unobserved
    }
  }
  if (!return_ns_) {
    awaited_ =
        BackwardPass::add({recorder_, op_, shows_.wait ? future : nullptr,
                           times_, communicator_});
  }
  return future;
}

// The callback runs on the engine's thread, or here if the operation has
// already ended. It holds neither the Work, which would be a cycle, nor a
// Python object.
void recordEndOf(c10::ivalue::Future& future, Recorder& recorder, OpId op) {
  future.addCallback(
      [&recorder, op](c10::ivalue::Future& completed) {
        const std::int64_t end_ns = nowNs();
        if (!completed.hasError()) {
          recorder.done(op, end_ns, EndSource::kFuture);
          return;
        }
        reportError(completed.exception_ptr(), [&](const char* text) {
          recorder.doneFailed(op, end_ns, EndSource::kFuture, text);
        });
      },
      /*uses_future=*/false);
}

}  // namespace traced
