#include "c10d/wrapper/backward_pass.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <mutex>

namespace traced {
namespace {

// Further operations of a pass get no wait.
constexpr std::size_t kMaxOperations = 65536;
constexpr int kNoGraphTask = -1;

}  // namespace

struct BackwardPass::OpenPasses {
  std::mutex mutex;  // Guards this and the `operations_` of each pass.
  // A pass that failed is expired.
  std::vector<std::weak_ptr<BackwardPass>> passes;
};

// Never destroyed, because a late callback may use it.
BackwardPass::OpenPasses& BackwardPass::openPasses() {
  static auto* const open = new OpenPasses;
  return *open;
}

std::shared_ptr<BackwardPass> BackwardPass::currentPass(OpenPasses& open,
                                                        int graph_task) {
  std::erase_if(open.passes, [](const auto& pass) { return pass.expired(); });
  if (graph_task == kNoGraphTask) {
    return open.passes.size() == 1 ? open.passes.front().lock() : nullptr;
  }
  for (const auto& pass : open.passes) {
    auto found = pass.lock();
    if (found && found->graph_task_ == graph_task) return found;
  }
  auto pass = std::make_shared<BackwardPass>(graph_task);
  open.passes.push_back(pass);
  pass->queue(&BackwardPass::begin);
  return pass;
}

std::shared_ptr<AwaitedOperation> BackwardPass::add(
    const AwaitedOperation::Call& call) noexcept {
  try {
    const int graph_task = torch::autograd::get_current_graph_task_id();
    OpenPasses& open = openPasses();
    const std::unique_lock lock(open.mutex, std::try_to_lock);
    if (!lock) return nullptr;
    const auto pass = currentPass(open, graph_task);
    if (!pass || pass->operations_.size() >= kMaxOperations) return nullptr;
    auto operation = std::make_shared<AwaitedOperation>(call);
    if (call.future) {
      call.future->addCallback(
          [weak = std::weak_ptr(operation)](c10::ivalue::Future& completed) {
            const auto ended = weak.lock();
            if (ended && !completed.hasError()) ended->end_ns_.store(nowNs());
          },
          /*uses_future=*/false);
    }
    pass->operations_.push_back(operation);
    if (graph_task != kNoGraphTask && !torch::autograd::get_current_node()) {
      pass->begin_ns_ = nowNs();
    }
    return operation;
  } catch (...) {  // The wait stays unobserved.
    return nullptr;
  }
}

void BackwardPass::queue(void (BackwardPass::*callback)() noexcept) {
  torch::autograd::Engine::get_default_engine().queue_callback(
      [self = shared_from_this(), callback] { (*self.*callback)(); });
}

void BackwardPass::begin() noexcept {
  // The engine moves its callbacks when one is queued.
  const auto self = shared_from_this();
  if (begin_ns_ != 0) return end();
  try {
    queue(&BackwardPass::end);
    beginOnDevice();
  } catch (...) {  // The waits stay unobserved.
  }
  begin_ns_ = nowNs();
}

void BackwardPass::beginOnDevice() {
  {
    const std::lock_guard lock(openPasses().mutex);
    for (const auto& operation : operations_) {
      if (operation->call_.times) stalling_ = operation.get();
    }
  }
  if (!stalling_) return;
  on_device_.emplace(stalling_->call_.times, stalling_->call_.communicator);
  on_device_->beginWait();
}

void BackwardPass::end() noexcept {
  const std::int64_t end_ns = nowNs();
  std::vector<std::shared_ptr<AwaitedOperation>> operations;
  {
    OpenPasses& open = openPasses();
    const std::lock_guard lock(open.mutex);
    operations.swap(operations_);
    std::erase_if(open.passes, [this](const auto& pass) {
      return pass.lock().get() == this;
    });
  }
  std::int64_t after_ns = begin_ns_;
  for (const auto& operation : operations) {
    after_ns = record(*operation, after_ns, end_ns);
  }
}

std::int64_t BackwardPass::record(AwaitedOperation& operation,
                                  std::int64_t after_ns,
                                  std::int64_t pass_end_ns) noexcept {
  const std::int64_t release_ns =
      operation.release_ns_.exchange(AwaitedOperation::kOver);
  if (release_ns == 0) return after_ns;  // The program may still wait for it.
  const bool stalls = &operation == stalling_;
  const std::int64_t begin_ns = std::max(after_ns, operation.requested_ns_);
  std::int64_t end_ns = stalls ? pass_end_ns : begin_ns;
  if (operation.call_.future) {
    end_ns = operation.endNs(pass_end_ns);
    if (end_ns == 0) {
      operation.call_.recorder.released(operation.call_.op, release_ns);
      return after_ns;
    }
    end_ns = std::max(end_ns, begin_ns);
  }
  WaitRecord wait{};
  wait.op = operation.call_.op;
  wait.begin_ns = begin_ns;
  wait.wait_ns = static_cast<std::uint64_t>(end_ns - begin_ns);
  wait.outcome = Outcome::kOk;
  wait.by_future = true;
  // The stall of the last operation includes the waits for the others, if it is
  // recorded.
  if (stalling_ && !stalls && !operation.call_.future &&
      stalling_->release_ns_.load() > 0) {
    wait.stall_ns_plus_1 = 1;
  }
  operation.call_.recorder.waited(wait);
  if (stalls) on_device_->endWait(wait);
  return end_ns;
}

// A completed future wakes its waiters before it runs its callbacks.
std::int64_t AwaitedOperation::endNs(std::int64_t now_ns) const noexcept {
  const std::int64_t end_ns = end_ns_.load();
  if (end_ns != 0) return std::min(end_ns, now_ns);
  const bool ended = call_.future->completed() && !call_.future->hasError();
  return ended ? now_ns : 0;
}

AwaitedOperation::~AwaitedOperation() {
  const std::int64_t release_ns = release_ns_.load();
  if (release_ns > 0) call_.recorder.released(call_.op, release_ns);
}

}  // namespace traced
