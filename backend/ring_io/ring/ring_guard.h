// RingGuard keeps a job alive whose ring is cut short from outside: a store
// behind the end of a mapped file is a SIGBUS, and a file in shared memory
// cannot be sealed against its owner.
//
// A handler of SIGBUS puts private memory in the place of such a ring, in which
// there never is room: what comes next is dropped as with any full ring, and
// the path that records is what it was. It is installed once, with the first
// guard of a process; a SIGBUS of anything else finds what the job had for it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace traced {

struct RingControl;

class RingGuard {
 public:
  // Of mapped memory with a ring in it.
  RingGuard(void* memory, std::size_t bytes, RingControl* control,
            std::uint64_t slots);
  ~RingGuard();
  RingGuard(const RingGuard&) = delete;
  RingGuard& operator=(const RingGuard&) = delete;

  // Set before anything else is to be seen in its place.
  const std::atomic<bool>& isLost() const;

  struct Guarded;

 private:
  // nullptr: there are too many.
  Guarded* const guarded_;
};

}  // namespace traced
