#include "recorder/stacks/stack_source.h"

#include <atomic>

namespace traced {
namespace {

std::atomic<StackSource*> source_of_stacks{nullptr};

}  // namespace

void setStackSource(StackSource* source) noexcept {
  source_of_stacks.store(source, std::memory_order_release);
}

StackSource* stackSource() noexcept {
  return source_of_stacks.load(std::memory_order_acquire);
}

}  // namespace traced
