// EngineChecks periodically asks the engines that do not report failures by
// themselves whether they have failed.
//
// Thread safety: any thread. The writer thread runs the checks.

#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace traced {

class EngineCheck {
 public:
  virtual ~EngineCheck() = default;
  // Must not block, and must not call a device or the interpreter.
  virtual void check() noexcept = 0;
};

class EngineChecks {
 public:
  // Takes ownership and never destroys the check, because the engine may call
  // it late. run() includes it if `asked` is true.
  template <typename Check>
  Check* keep(std::unique_ptr<Check> check, bool asked) {
    Check* const kept = check.get();
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(check));
    if (asked) asked_.push_back(kept);
    return kept;
  }
  // Removes the check from run(). Once this returns, check() is neither running
  // nor called again.
  void forget(const EngineCheck* check) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(asked_, check);
  }

  // Runs all registered checks, under the lock.
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
