#include "cli/serve/background.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/threads.h"

namespace traced {

struct Background::State {
  explicit State(std::size_t max) : max_pending(max) {}

  const std::size_t max_pending;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> pending;
  bool is_running = false;
  bool is_stopping = false;
};

Background::Background(std::size_t max_pending)
    : state_(std::make_shared<State>(max_pending)) {
  const SignalsBlocked blocked;
  // The thread may block forever, so nothing joins it.
  std::thread([state = state_] { run(state); }).detach();
}

Background::~Background() {
  const std::lock_guard lock(state_->mutex);
  state_->is_stopping = true;
  state_->pending.clear();
  state_->changed.notify_all();
}

bool Background::post(std::function<void()> function) {
  const std::lock_guard lock(state_->mutex);
  if (state_->pending.size() >= state_->max_pending) return false;
  state_->pending.push_back(std::move(function));
  state_->changed.notify_all();
  return true;
}

bool Background::finish(std::chrono::nanoseconds timeout) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, timeout, [this] {
    return state_->pending.empty() && !state_->is_running;
  });
}

void Background::run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(
        lock, [&] { return state->is_stopping || !state->pending.empty(); });
    if (state->is_stopping) return;
    const std::function<void()> function = std::move(state->pending.front());
    state->pending.pop_front();
    state->is_running = true;
    lock.unlock();
    function();
    lock.lock();
    state->is_running = false;
    state->changed.notify_all();
  }
}

}  // namespace traced
