// Calls of TracedBackend that manage the backend itself: children, abort and
// shutdown, and phases without communication.

#include <algorithm>

#include "c10d/wrapper/lineage.h"
#include "c10d/wrapper/record_call.h"
#include "recorder/devices.h"

namespace traced {

TracedBackend::BackendPtr TracedBackend::split(
    const c10::intrusive_ptr<c10d::Store>& store, const std::vector<int>& ranks,
    const c10::intrusive_ptr<Options>& opts) {
  BackendPtr child = manage(Operation::kSplit,
                            [&] { return inner_->split(store, ranks, opts); });
  const auto& own = group_->info().members;
  std::vector<std::uint32_t> members;
  for (const int rank : ranks) {
    if (rank >= 0 && static_cast<std::size_t>(rank) < own.size()) {
      members.push_back(own[static_cast<std::size_t>(rank)]);
    }
  }
  rememberChild(child, std::move(members));
  return child;
}

TracedBackend::BackendPtr TracedBackend::merge(
    const c10::intrusive_ptr<c10d::Store>& store,
    const c10::intrusive_ptr<Options>& opts, const int& rank, const int& size) {
  return manage(Operation::kMerge,
                [&] { return inner_->merge(store, opts, rank, size); });
}

TracedBackend::BackendPtr TracedBackend::shrink(
    const std::vector<std::int64_t>& ranks_to_exclude, int flags,
    const c10::intrusive_ptr<Options>& opts) {
  BackendPtr child = manage(Operation::kShrink, [&] {
    return inner_->shrink(ranks_to_exclude, flags, opts);
  });
  const auto& own = group_->info().members;
  std::vector<std::uint32_t> members;
  for (std::size_t rank = 0; rank < own.size(); ++rank) {
    const auto& gone = ranks_to_exclude;
    if (std::find(gone.begin(), gone.end(), rank) == gone.end()) {
      members.push_back(own[rank]);
    }
  }
  rememberChild(child, std::move(members));
  return child;
}

void TracedBackend::abort() {
  markAndFlush(MarkKind::kAbort);
  inner_->abort();
}

void TracedBackend::shutdown() {
  try {
    inner_->shutdown();
  } catch (const std::exception& error) {
    reportError(error, [&](const char* text) {
      markAndFlush(MarkKind::kShutdownFailed, text);
    });
    throw;
  }
  if (Recorder* recorder = active()) recorder->requestFlush();
}

// The flush makes the file contain everything up to here. Does not block,
// because an abort is often called during a hang. Records while tracing is off,
// because earlier operations may be the cause.
void TracedBackend::markAndFlush(MarkKind kind, const char* message) noexcept {
  if (Recorder::current() != &recorder_) return;
  if (kind == MarkKind::kAbort) recorder_.devices().aborting(communicator_);
  recorder_.mark(kind, group_->id(), message);
  recorder_.requestFlush();
}

void TracedBackend::endCreation(FunctionRow end) noexcept {
  end.group = group_->id();
  recorder_.functionEvent(end, "");
}

#ifdef TRACED_BACKEND_HAS_reconfigure
TracedBackend::Work TracedBackend::reconfigure(
    const c10d::ReconfigureOptions& opts) {
  Work work = record(
      Operation::kReconfigure, notNumbered, [](auto&) {},
      [&] { return inner_->reconfigure(opts); });
  communicator_ = recorder_.devices().newCommunicator();
  if (failures_) failures_->switchCommunicator(communicator_);
  rank_ = inner_->getRank();
  size_ = inner_->getSize();
  return work;
}
#endif

#ifdef TRACED_BACKEND_HAS_suspend
void TracedBackend::suspend() {
  manage(Operation::kSuspend, [&] { inner_->suspend(); });
}

void TracedBackend::resume() {
  manage(Operation::kResume, [&] { inner_->resume(); });
}
#endif

#ifdef TRACED_BACKEND_HAS_startTimeEstimate
void TracedBackend::startTimeEstimate() {
  inner_->startTimeEstimate();
  setSimulating(true);
}

float TracedBackend::endTimeEstimate() {
  setSimulating(false);
  return inner_->endTimeEstimate();
}
#endif

}  // namespace traced
