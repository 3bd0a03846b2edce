// A backend whose Works have results as those of NCCL's classic engine: a
// future of the host's, made with the Work and completed by the engine's
// watchdog. Here the caller does the watchdog's part, when it drops the Work,
// so that what a listener costs both threads is measured in one.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <utility>
#include <vector>

namespace traced::bench {

class EngineWork : public c10d::Work {
 public:
  using Future = c10::ivalue::Future;

  explicit EngineWork(bool completes)
      : Work(-1, c10d::OpType::ALLREDUCE), completes_(completes) {}
  ~EngineWork() override {
    if (!completes_) return;
    const auto success = static_cast<std::uint8_t>(c10d::WorkResult::SUCCESS);
    result_->markCompleted(c10::IValue(success));
  }

  bool wait(std::chrono::milliseconds) override { return true; }
  c10::intrusive_ptr<Future> getFutureResult() override { return result_; }

 private:
  const bool completes_;
  const c10::intrusive_ptr<Future> result_ =
      c10::make_intrusive<Future>(c10::AnyEnumType::get());
};

class EngineBackend : public c10d::Backend {
 public:
  // Without completion a Work is dropped first: what remains of a listener is
  // what it costs the caller.
  EngineBackend(std::string name, bool completes)
      : Backend(0, 1), name_(std::move(name)), completes_(completes) {}

  const std::string getBackendName() const override { return name_; }

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override {
    return c10::make_intrusive<EngineWork>(completes_);
  }

 private:
  const std::string name_;
  const bool completes_;
};

}  // namespace traced::bench
