// Background runs functions one after another on its own thread. It is meant
// for functions that may block on a pipe, a disk or a remote file system.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

namespace traced {

// Thread safe. A function must own what it uses, because it may outlive this
// object.
class Background {
 public:
  // Queues at most `max_pending` functions.
  explicit Background(std::size_t max_pending);
  // Does not wait for the running function. Drops those that are pending.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Queues `function`. Returns false and drops it if too many are pending.
  bool post(std::function<void()> function);
  // Blocks until all functions have run. Returns false if `timeout` passed
  // first.
  bool finish(std::chrono::nanoseconds timeout);

  // Runs `function` and returns its result. Returns nothing if `timeout` passed
  // first or if earlier functions have not ended.
  template <typename Function>
  auto ask(Function function, std::chrono::nanoseconds timeout)
      -> std::optional<decltype(function())> {
    if (!finish({})) return std::nullopt;
    auto task = std::make_shared<std::packaged_task<decltype(function())()>>(
        std::move(function));
    auto result = task->get_future();
    if (!post([task] { (*task)(); }) ||
        result.wait_for(timeout) != std::future_status::ready) {
      return std::nullopt;
    }
    return result.get();
  }

 private:
  struct State;

  static void run(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

}  // namespace traced
