#include "recorder/stacks/symbolizer.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/threads.h"

namespace traced {

// Shared with the thread, which may be in a lookup after the owner was
// destroyed.
struct Symbolizer::State {
  explicit State(std::unique_ptr<SymbolReader> its) : reader(std::move(its)) {}

  const std::unique_ptr<SymbolReader> reader;  // used by the thread only
  std::atomic<bool> given_up{false};
  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  std::vector<v1::Code> asked;
  std::vector<v1::Code> named;
  bool is_running = false;
  bool is_busy = false;

  void run();
  void nameAll(std::vector<v1::Code> batch) noexcept;
  void nameOfOneBinary(std::span<v1::Code*> calls);
};

void Symbolizer::State::run() {
  beginThread("traced-symbols");
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return given_up || !asked.empty(); });
    if (given_up) return;
    std::vector<v1::Code> batch = std::exchange(asked, {});
    is_busy = true;
    lock.unlock();
    nameAll(std::move(batch));
    lock.lock();
    is_busy = false;
    changed.notify_all();
  }
}

void Symbolizer::State::nameAll(std::vector<v1::Code> batch) noexcept {
  const auto byBinary = [](const v1::Code* a, const v1::Code* b) {
    return a->binary() < b->binary();
  };
  try {
    std::vector<v1::Code*> calls;
    for (v1::Code& code : batch) calls.push_back(&code);
    std::sort(calls.begin(), calls.end(), byBinary);
    for (auto at = calls.begin(); at != calls.end() && !given_up;) {
      const auto end = std::upper_bound(at, calls.end(), *at, byBinary);
      nameOfOneBinary({at, end});
      at = end;
    }
  } catch (const std::exception&) {  // the rest keeps no name
  }
}

void Symbolizer::State::nameOfOneBinary(std::span<v1::Code*> calls) {
  reader->read(calls.front()->binary(), calls, given_up);
  const std::lock_guard lock(mutex);
  for (v1::Code* call : calls) {
    if (!call->function().empty()) named.push_back(std::move(*call));
  }
}

Symbolizer::Symbolizer(std::unique_ptr<SymbolReader> reader)
    : state_(std::make_shared<State>(std::move(reader))) {}

Symbolizer::~Symbolizer() {
  const std::lock_guard lock(state_->mutex);
  state_->given_up = true;
  state_->changed.notify_all();
}

void Symbolizer::ask(v1::Code code) {
  // Code outside of any binary cannot be named.
  if (code.binary().empty()) return;
  const std::lock_guard lock(state_->mutex);
  state_->asked.push_back(std::move(code));
  if (!state_->is_running) {
    const SignalsBlocked blocked;
    std::thread([state = state_] { state->run(); }).detach();
    state_->is_running = true;
  }
  state_->changed.notify_all();
}

std::vector<v1::Code> Symbolizer::take() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->named, {});
}

std::vector<v1::Code> Symbolizer::finish(std::chrono::milliseconds timeout) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, timeout, [this] {
    return state_->asked.empty() && !state_->is_busy;
  });
  state_->given_up = true;
  state_->changed.notify_all();
  return std::exchange(state_->named, {});
}

}  // namespace traced
