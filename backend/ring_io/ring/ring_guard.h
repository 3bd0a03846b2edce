// RingGuard keeps a job alive if another process truncates its ring file. A
// store past the end of a mapped file raises SIGBUS, and a file in shared
// memory cannot be sealed against its owner.
//
// A SIGBUS handler replaces such a ring by private memory that is always full.
// Later records are dropped, as with any full ring, and the recording path
// needs no extra check.
//
// The first guard of a process installs the handler. Any other SIGBUS goes to
// the job's own action.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace traced {

struct RingControl;

class RingGuard {
 public:
  // `memory` is mapped and contains the ring.
  RingGuard(void* memory, std::size_t bytes, RingControl* control,
            std::uint64_t slots);
  ~RingGuard();
  RingGuard(const RingGuard&) = delete;
  RingGuard& operator=(const RingGuard&) = delete;

  // Returns a flag that is set before the memory is replaced. Never set if too
  // many rings are guarded, so that this one is unprotected.
  const std::atomic<bool>& isLost() const;

  struct Guarded;

 private:
  // nullptr if too many rings are guarded.
  Guarded* const guarded_;
};

}  // namespace traced
