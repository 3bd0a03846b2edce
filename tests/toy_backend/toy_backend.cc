// An example of a company's own C++ backend: Gloo's operations behind classes
// of its own. Tests choose how its all-reduce behaves.

#include <torch/csrc/utils/pybind.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c10d/wrapper/forwarding.h"

namespace toys {

using BackendPtr = c10::intrusive_ptr<c10d::Backend>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using FuturePtr = c10::intrusive_ptr<c10::ivalue::Future>;
using Tensors = std::vector<at::Tensor>;

enum class Behaviour {
  kGood,
  kNullWork,
  kRuntimeError,
  kOtherError,
  kLate,
  kWaitIsFalse,
  kWaitThrows,
  kWaitThrowsOther,
  kNoFuture,
  kNullFuture,
  kFutureThrowsOther,
  kFutureFails,
  kHooksThrow,
};

namespace {

// Delays completions until it is opened.
class Gate {
 public:
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

// Never destroyed: a thread may block on it when the process ends.
Gate& gate() {
  static auto* const only = new Gate;
  return *only;
}

}  // namespace

// Implements the functions that every Work needs, and the chosen behaviour.
class Work : public c10d::Work {
 public:
  Work(WorkPtr inner, Behaviour behaviour)
      : inner_(std::move(inner)), behaviour_(behaviour) {}

  bool wait(std::chrono::milliseconds timeout) override {
    if (behaviour_ == Behaviour::kWaitThrowsOther) throw 42;
    const bool completed = inner_->wait(timeout);
    if (behaviour_ == Behaviour::kWaitThrows) {
      TORCH_CHECK(false, "the toy broke in its wait");
    }
    return completed && behaviour_ != Behaviour::kWaitIsFalse;
  }

  FuturePtr getFuture() override {
    switch (behaviour_) {
      case Behaviour::kNoFuture:
        return c10d::Work::getFuture();
      case Behaviour::kNullFuture:
        return {};
      case Behaviour::kFutureThrowsOther:
        throw 42;
      // Must not wait: the caller holds the GIL, and freeing the tensors of the
      // previous call may take it on the engine's thread.
      case Behaviour::kFutureFails: {
        auto failed =
            c10::make_intrusive<c10::ivalue::Future>(c10::NoneType::get());
        failed->setError(std::make_exception_ptr(c10::Error(
            {__func__, __FILE__, __LINE__}, "the toy broke in its future")));
        return failed;
      }
      default:
        return inner_->getFuture();
    }
  }

 private:
  const WorkPtr inner_;
  const Behaviour behaviour_;
};

// Begins on a thread of its own once the gate is open.
class LateWork : public c10d::Work {
 public:
  static WorkPtr start(BackendPtr engine, Tensors tensors,
                       const c10d::AllreduceOptions& options) {
    auto work = c10::make_intrusive<LateWork>();
    std::thread([work, engine = std::move(engine), tensors = std::move(tensors),
                 options]() mutable {
      gate().pass();
      engine->allreduce(tensors, options)->wait();
      work->finish();
      work->future_->markCompleted(c10::IValue(tensors));
    }).detach();
    return work;
  }

  FuturePtr getFuture() override { return future_; }

 private:
  const FuturePtr future_ = c10::make_intrusive<c10::ivalue::Future>(
      c10::ListType::create(c10::TensorType::get()));
};

class Backend : public traced::forwarding::ForwardingBackend {
 public:
  Backend(BackendPtr engine, Behaviour behaviour, std::string name)
      : ForwardingBackend(std::move(engine)),
        behaviour_(behaviour),
        name_(std::move(name)) {}

  const std::string getBackendName() const override { return name_; }

  WorkPtr allreduce(Tensors& tensors,
                    const c10d::AllreduceOptions& options) override {
    switch (behaviour_) {
      case Behaviour::kRuntimeError:
        throw std::runtime_error("the toy broke");
      case Behaviour::kOtherError:
        throw 42;
      case Behaviour::kLate:
        return LateWork::start(inner_, tensors, options);
      case Behaviour::kNullWork:
        inner_->allreduce(tensors, options)->wait();
        return {};
      default:
        return c10::make_intrusive<Work>(inner_->allreduce(tensors, options),
                                         behaviour_);
    }
  }

#ifdef TRACED_BACKEND_HAS_supportsCompletionHooks
  bool supportsCompletionHooks() const override {
    if (behaviour_ == Behaviour::kHooksThrow) throw 42;
    return false;
  }
#endif

 private:
  const Behaviour behaviour_;
  const std::string name_;
};

// Implements an all-reduce and no optional function.
class BareBackend : public c10d::Backend {
 public:
  explicit BareBackend(BackendPtr engine)
      : c10d::Backend(engine->getRank(), engine->getSize()),
        engine_(std::move(engine)) {}

  WorkPtr allreduce(Tensors& tensors,
                    const c10d::AllreduceOptions& options) override {
    return engine_->allreduce(tensors, options);
  }

 private:
  const BackendPtr engine_;
};

}  // namespace toys

PYBIND11_MODULE(toy, m) {
  using toys::Behaviour;
  pybind11::enum_<Behaviour>(m, "Behaviour")
      .value("good", Behaviour::kGood)
      .value("null_work", Behaviour::kNullWork)
      .value("runtime_error", Behaviour::kRuntimeError)
      .value("other_error", Behaviour::kOtherError)
      .value("late", Behaviour::kLate)
      .value("wait_is_false", Behaviour::kWaitIsFalse)
      .value("wait_throws", Behaviour::kWaitThrows)
      .value("wait_throws_other", Behaviour::kWaitThrowsOther)
      .value("no_future", Behaviour::kNoFuture)
      .value("null_future", Behaviour::kNullFuture)
      .value("future_throws_other", Behaviour::kFutureThrowsOther)
      .value("future_fails", Behaviour::kFutureFails)
      .value("hooks_throw", Behaviour::kHooksThrow);
  m.def("make_backend",
        [](toys::BackendPtr engine, Behaviour behaviour,
           std::string name) -> toys::BackendPtr {
          return c10::make_intrusive<toys::Backend>(std::move(engine),
                                                    behaviour, std::move(name));
        });
  m.def("make_bare_backend", [](toys::BackendPtr engine) -> toys::BackendPtr {
    return c10::make_intrusive<toys::BareBackend>(std::move(engine));
  });
  m.def("let_late_ones_go", [] { toys::gate().open(); });
}
