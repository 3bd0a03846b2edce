// Copies memory of this process that another thread may change or free at any
// time. The kernel copies it, so an address that no longer exists is an error
// and no crash.

#pragma once

#include <cstddef>

namespace traced {

// Copies [from, from + bytes) to `to`. Returns false if not all of it can be
// read. Not atomic: another thread may write meanwhile.
bool copyMemory(const void* from, void* to, std::size_t bytes) noexcept;

// Does the same for an object.
template <typename T>
bool copyObject(const T* from, T& to) noexcept {
  return copyMemory(from, &to, sizeof to);
}

// Returns whether the kernel permits such copies. A sandbox may forbid them.
bool canCopyMemory() noexcept;

}  // namespace traced
