#include "recorder/engine_checks.h"

namespace traced {

void EngineChecks::forget(const EngineCheck* check) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(asked_, check);
}

void EngineChecks::run() noexcept {
  const std::lock_guard lock(mutex_);
  for (EngineCheck* check : asked_) check->check();
}

}  // namespace traced
