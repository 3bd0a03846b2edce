// A backend that behaves like NCCL's engines towards its caller. Synchronous
// calls run on the caller's stream and return no Work, except with the newer
// engine. Asynchronous calls run on a stream of the backend, and a wait only
// makes the caller's stream wait.

#pragma once

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <utility>
#include <vector>

#include "support/fake_device.h"

namespace traced::testing {

inline constexpr std::uintptr_t kEngineStream = 100;

// Counts the requests to an engine's Works.
struct FakeNcclAsked {
  std::atomic<int> futures{0};
  std::atomic<int> results_asked{0};
  std::atomic<int> errors_asked{0};
  std::atomic<int> errors_reported{0};
};

class FakeNcclWork : public c10d::Work {
 public:
  using Future = c10::ivalue::Future;

  // Without a `result` the engine reports no results.
  FakeNcclWork(FakeDevice& device, std::uint64_t key, FakeNcclAsked& asked,
               c10::intrusive_ptr<Future> result)
      : Work(-1, c10d::OpType::ALLREDUCE),
        device_(device),
        key_(key),
        asked_(asked),
        result_(std::move(result)) {}

  bool wait(std::chrono::milliseconds) override {
    device_.makeWait(device_.currentStream(),
                     FakeDevice::stream(kEngineStream));
    return true;
  }
  // nccl2 makes the caller's stream wait when the future is requested.
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    ++asked_.futures;
    wait(kNoTimeout);
    auto future =
        c10::make_intrusive<c10::ivalue::Future>(c10::NoneType::get());
    future->markCompleted();
    return future;
  }
  c10::intrusive_ptr<Future> getFutureResult() override {
    ++asked_.results_asked;
    return result_ ? result_ : Work::getFutureResult();
  }
#ifdef TRACED_BACKEND_HAS_registerCompletionHook
  std::uint64_t getCompletionKey() const override { return key_; }
#endif

 private:
  FakeDevice& device_;
  [[maybe_unused]] const std::uint64_t key_;
  FakeNcclAsked& asked_;
  const c10::intrusive_ptr<Future> result_;
};

class FakeNccl : public c10d::Backend, public FakeNcclAsked {
 public:
  FakeNccl(FakeDevice& device, std::string name)
      : Backend(0, 2), device_(device), name_(std::move(name)) {}

  const std::string getBackendName() const override { return name_; }
  bool supportsCoalescing() const override { return true; }

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>&, const c10d::AllreduceOptions& opts) override {
    if (fails) throw std::runtime_error("the network is down");
    if (in_batch_) {
      batch_is_async_ = opts.asyncOp;
      return members_have_work ? makeWork() : nullptr;
    }
    return launch(opts.asyncOp);
  }
  void startCoalescing() override { in_batch_ = true; }
  c10::intrusive_ptr<c10d::Work> endCoalescing() override {
    in_batch_ = false;
    return launch(batch_is_async_);
  }

#ifdef TRACED_BACKEND_HAS_registerCompletionHook
  bool supportsCompletionHooks() const override { return has_hooks; }
  void registerCompletionHook(std::int64_t,
                              c10d::CompletionHook hook) override {
    hook_ = std::move(hook);
  }
  void unregisterCompletionHook(std::int64_t) override { hook_ = nullptr; }
  void enableCollectivesTiming() override { timing = true; }
  // Calls the completion hook, like the engine's watchdog.
  void complete(std::uint64_t key, std::optional<float> duration_ms) {
    hook_({key, duration_ms});
  }
#endif

#ifdef TRACED_BACKEND_HAS_registerAbortHook
  bool supportsAbortHooks() const override { return has_hooks; }
  void registerAbortHook(std::int64_t, c10d::AbortHook hook) override {
    abort_hook_ = std::move(hook);
  }
  void unregisterAbortHook(std::int64_t) override { abort_hook_ = nullptr; }
  // Returns the hook that the engine's watchdog calls. The watchdog may hold a
  // copy that it took earlier.
  const c10d::AbortHook& abortHook() const { return abort_hook_; }
#endif
  c10d::ErrorType getError() override {
    const c10d::ErrorType reported = error;
    if (reported != c10d::ErrorType::SUCCESS) ++errors_reported;
    ++errors_asked;
    return reported;
  }

  // Sets the result of the latest operation, like the classic engine's
  // watchdog.
  void setResult(c10d::WorkResult result) {
    last_result_->markCompleted(c10::IValue(static_cast<std::uint8_t>(result)));
  }

  std::int64_t kernel_ns = 1'000'000;
  std::atomic<c10d::ErrorType> error{c10d::ErrorType::SUCCESS};
  bool fails = false;
  bool has_hooks = false;
  bool has_results = false;
  bool members_have_work = false;
  bool sync_has_work = false;  // like the newer engine
  bool timing = false;
  std::uint64_t last_key = 0;

 private:
  c10::intrusive_ptr<c10d::Work> launch(bool async) {
    if (!async) {
      device_.run(device_.currentStream(), kernel_ns);
      return sync_has_work ? makeWork() : nullptr;
    }
    const auto engine = FakeDevice::stream(kEngineStream);
    device_.makeWait(engine, device_.currentStream());
    device_.run(engine, kernel_ns);
    return makeWork();
  }
  c10::intrusive_ptr<c10d::Work> makeWork() {
    last_result_ =
        has_results
            ? c10::make_intrusive<FakeNcclWork::Future>(c10::AnyEnumType::get())
            : nullptr;
    return c10::make_intrusive<FakeNcclWork>(
        device_, ++last_key, static_cast<FakeNcclAsked&>(*this), last_result_);
  }

  FakeDevice& device_;
  const std::string name_;
  c10::intrusive_ptr<FakeNcclWork::Future> last_result_;
  bool in_batch_ = false;
  bool batch_is_async_ = false;
#ifdef TRACED_BACKEND_HAS_registerCompletionHook
  c10d::CompletionHook hook_;
#endif
#ifdef TRACED_BACKEND_HAS_registerAbortHook
  c10d::AbortHook abort_hook_;
#endif
};

}  // namespace traced::testing
