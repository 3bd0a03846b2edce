// EngineChecks asks engines that tell nobody by themselves, now and then,
// whether they have failed.
//
// Thread safety: any thread; asked by the writer thread.

#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace traced {

class EngineCheck {
 public:
  virtual ~EngineCheck() = default;
  // Neither waits nor calls a device or the interpreter.
  virtual void check() noexcept = 0;
};

class EngineChecks {
 public:
  // Kept for ever: what an engine was given may call it late. Asked from now on
  // if it is to be.
  template <typename Check>
  Check* keep(std::unique_ptr<Check> check, bool asked) {
    Check* const kept = check.get();
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(check));
    if (asked) asked_.push_back(kept);
    return kept;
  }
  // It is asked no more once this returns.
  void forget(const EngineCheck* check) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(asked_, check);
  }

  void run() noexcept {
    const std::lock_guard lock(mutex_);
    for (EngineCheck* check : asked_) check->check();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<EngineCheck>> all_;
  std::vector<EngineCheck*> asked_;
};

}  // namespace traced
