// CppStack is where the calling thread is in C++: the return addresses that lie
// on its stack.
//
// libgcc's unwinder finds them, as it does for every exception: it takes no
// lock (glibc before 2.35: a short one), asks for no memory, and has no state
// that a fork could leave locked. It takes 200 ns a frame, though. So each
// thread remembers the stacks it found last, and the words of its own memory
// that told them. When these all still say the same, nothing needs to be
// unwound.

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

  // The innermost first.
  std::array<std::uintptr_t, kMaxFrames> addresses;
  std::size_t count = 0;
  // There are more, farther out.
  bool cut = false;
  // Of the addresses.
  std::uint64_t hash = 0;
};

// The calling thread's, from its caller on; valid until the thread's next call.
// Without frames where there is no memory.
const CppStack& cppStackHere() noexcept;

// How often libraries were unloaded, as of the last call of countUnloads():
// then an address may no longer mean what it did.
std::uint64_t unloads() noexcept;
// To be called now and then.
void countUnloads() noexcept;

// Says a stack in terms of the binaries that are loaded, without those of its
// innermost frames that are in the same binary as `own` (nullptr: with all).
// May throw for want of memory.
void describeCppStack(const CppStack& stack, const void* own,
                      v1::NewStack& told);

}  // namespace traced
