// How TracedBackend records one call; included by the files that implement its
// operations.

#pragma once

#include <exception>
#include <utility>

#include "c10d/traced_backend.h"

namespace traced {

// Describing must never fail a job: whatever it throws, the call is recorded
// with what had been described so far.
template <typename Describe>
OpId TracedBackend::issue(Recorder& recorder, Operation op, std::uint64_t seq,
                          Describe describe, bool& async) noexcept {
  const std::int64_t issue_ns = nowNs();
  CallDescriber describer(op, *group_);
  try {
    describe(describer);
  } catch (...) {
  }
  async = describer.call().fields().async_plus_1 == 2;
  return recorder.issue(*group_, describer.call(), describer.buffers(), seq,
                        batch_.load(std::memory_order_relaxed), issue_ns);
}

template <typename Describe, typename Forward>
TracedBackend::Work TracedBackend::record(Operation operation,
                                          std::uint64_t seq, Describe describe,
                                          Forward forward) {
  Recorder* recorder = active();
  if (!recorder) return forward();
  bool async = false;
  const OpId op = issue(*recorder, operation, seq, describe, async);
  Work work;
  try {
    work = forward();
  } catch (const std::exception& error) {
    recorder->threw(op, nowNs(), error.what());
    throw;
  } catch (...) {
    recorder->threw(op, nowNs(), "unknown exception");
    throw;
  }
  const std::int64_t return_ns = nowNs();
  recorder->returned(op, return_ns);
  if (operation == Operation::kMonitoredBarrier) {  // has no Work
    recorder->done(op, return_ns, EndSource::kHostCall);
  }
  return wrap(*recorder, op, operation, async, std::move(work));
}

template <typename Describe, typename Forward>
TracedBackend::Work TracedBackend::collective(Operation op, Describe describe,
                                              Forward forward) {
  return record(op, group_->nextCollective(), describe, forward);
}

}  // namespace traced
