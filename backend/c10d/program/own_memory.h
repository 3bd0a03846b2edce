// Copies memory of this process that another thread may change or free at any
// time. The kernel copies it (/proc/self/mem), so an address that no longer
// exists is an error and no crash. It takes only ordinary system calls, which a
// sandbox permits.

#pragma once

#include <cstddef>

namespace traced {

// Copies [from, from + bytes) to `to`. Returns false if not all of it can be
// read. Not atomic: another thread may write meanwhile. Requires an OwnMemory
// on the calling thread.
bool copyMemory(const void* from, void* to, std::size_t bytes) noexcept;

// Does the same for an object.
template <typename T>
bool copyObject(const T* from, T& to) noexcept {
  return copyMemory(from, &to, sizeof to);
}

// OwnMemory permits copies on this thread while it exists. It opens the file
// only for that time, because a forked child has another memory and a job may
// close descriptors that it does not know.
class OwnMemory {
 public:
  OwnMemory() noexcept;
  ~OwnMemory();
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

 private:
  const int before_;
};

// Returns whether the kernel permits such copies. It may not if /proc is absent
// or the process is protected from its own user.
bool canCopyMemory() noexcept;

}  // namespace traced
