// Where in the program's code threads are, as far as somebody can tell: the
// recorder stamps operations with it, and has no idea of Python itself.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "ring_io/settings/options.h"

namespace traced {

class StackSource {
 public:
  // What the calling thread's stack is known by: unequal for unequal stacks.
  // 0: it has none.
  virtual std::uint64_t identity() noexcept = 0;
  // The same stack in words: a v1::NewStack, of which the stack has no id; ""
  // where that cannot be said. Asked for once, when an identity is new.
  virtual std::string describe() noexcept = 0;
  // The same of a stack that could not be described, cut to its call site. 0
  // and
  // "" where that is no shorter.
  virtual std::uint64_t cutIdentity() noexcept { return 0; }
  virtual std::string describeCut() noexcept { return ""; }
  // Has Python's part of stacks told in another way from now on. False: that
  // cannot be done. Any thread.
  virtual bool switchPython(StackMode) noexcept { return false; }

 protected:
  ~StackSource() = default;
};

// Of the process, from now on; nullptr: nobody can tell. A source is never
// destroyed: a thread may be within it.
inline std::atomic<StackSource*> source_of_stacks{nullptr};

inline void setStackSource(StackSource* source) noexcept {
  source_of_stacks.store(source, std::memory_order_release);
}
inline StackSource* stackSource() noexcept {
  return source_of_stacks.load(std::memory_order_acquire);
}

}  // namespace traced
