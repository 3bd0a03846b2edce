// CppStack holds the return addresses of the calling thread's C++ stack.
//
// libgcc's unwinder finds them, as for every exception. It allocates nothing,
// and has no state that a fork could leave locked. It takes no lock, except a
// brief one before glibc 2.35. It costs about 200 ns per frame, so each thread
// caches its latest stacks with the memory words that produced them. If these
// words are unchanged, no unwinding is needed.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "traced/v1/definitions.pb.h"

namespace traced {

struct CppStack {
  static constexpr std::size_t kMaxFrames = 64;

  std::span<const std::uintptr_t> frames() const {
    return {addresses.data(), count};
  }

  // Innermost frame first.
  std::array<std::uintptr_t, kMaxFrames> addresses;
  std::size_t count = 0;
  // Outer frames were omitted.
  bool cut = false;
  // Hash of the addresses.
  std::uint64_t hash = 0;
};

// Returns the calling thread's stack, starting at the caller. Valid until the
// thread's next call. Empty if memory is exhausted.
const CppStack& cppStackHere() noexcept;

// Returns the number of library unloads as of the last countUnloads(). After an
// unload, an address may mean different code.
std::uint64_t unloads() noexcept;
// Updates unloads(). Call it periodically.
void countUnloads() noexcept;

// Describes a stack by the loaded binaries. Omits the innermost frames that are
// in the same binary as `own` (nullptr: keeps all). May throw std::bad_alloc.
void describeCppStack(const CppStack& stack, const void* own,
                      v1::NewStack& new_stack);

}  // namespace traced
