// StackSource provides the program stacks of threads. It keeps the recorder
// independent of Python.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "ring_io/settings/options.h"

namespace traced {

class StackSource {
 public:
  // Returns the identity of the calling thread's stack. Different stacks have
  // different identities. 0: no stack.
  virtual std::uint64_t identity() noexcept = 0;
  // Returns the same stack as a serialized v1::NewStack without an id, or "" if
  // it cannot be described. Called once per new identity.
  virtual std::string describe() noexcept = 0;
  // Return the identity and description of the stack cut to its call site. Used
  // if the whole stack could not be described. Return 0 and "" if the cut stack
  // is not shorter.
  virtual std::uint64_t cutIdentity() noexcept { return 0; }
  virtual std::string describeCut() noexcept { return ""; }
  // Changes how the Python part of stacks is recorded. Returns false if that is
  // not possible. Any thread.
  virtual bool switchPython(StackMode) noexcept { return false; }

 protected:
  ~StackSource() = default;
};

// Sets the source of the process; nullptr for none. A source must never be
// destroyed, because a thread may still use it.
inline std::atomic<StackSource*> source_of_stacks{nullptr};

inline void setStackSource(StackSource* source) noexcept {
  source_of_stacks.store(source, std::memory_order_release);
}
inline StackSource* stackSource() noexcept {
  return source_of_stacks.load(std::memory_order_acquire);
}

}  // namespace traced
