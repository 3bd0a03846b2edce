// FinishedBackend does nothing: each call returns a finished Work. Time spent
// in a wrapper around it is the wrapper's own.

#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

namespace traced::bench {

class FinishedWork : public c10d::Work {
 public:
  FinishedWork() : Work(-1, c10d::OpType::ALLREDUCE) {}

  bool wait(std::chrono::milliseconds) override { return true; }

  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    auto future =
        c10::make_intrusive<c10::ivalue::Future>(c10::NoneType::get());
    future->markCompleted();
    return future;
  }
};

class FinishedBackend : public c10d::Backend {
 public:
  FinishedBackend() : Backend(0, 1) {}

  const std::string getBackendName() const override { return "fake"; }

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override {
    return c10::make_intrusive<FinishedWork>();
  }
};

}  // namespace traced::bench
