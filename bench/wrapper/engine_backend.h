// EngineBackend returns Works with results like those of NCCL's classic engine:
// a host future, created with the Work and completed by the engine's watchdog.
//
// Here the caller completes it when it drops the Work. One thread therefore
// measures the cost of a listener for both.

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
  // With `completes` false, a Work is dropped before its future completes. The
  // cost of a listener to the caller remains.
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
