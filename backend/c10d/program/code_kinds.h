// Classifies Python code objects by their file, and caches facts about them by
// address.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/code_kind.h"

struct PyCodeObject;

namespace traced {

// A prefix of file names and the kind of code below it.
struct CodeFolder {
  std::string beginning;
  CodeKind kind;
};

// CodeKinds caches its answers, so most lookups are one load. Thread safety:
// any thread.
class CodeKinds {
 public:
  // The first matching folder wins. Code without a match belongs to the
  // program.
  explicit CodeKinds(std::vector<CodeFolder> folders)
      : folders_(std::move(folders)) {}

  // Returns the kind of `code`, which the caller must keep alive, as a running
  // frame does.
  CodeKind of(const PyCodeObject& code) noexcept;
  // Does the same without the cache, also for a copy of code.
  CodeKind find(const PyCodeObject& code) const noexcept;

  // Forgets an address, because another code object may reuse it.
  void forget(const void* code) noexcept;

 private:
  std::atomic<std::uint64_t>& placeOf(const void* code) noexcept;

  static constexpr std::size_t kRemembered = 4096;
  const std::vector<CodeFolder> folders_;
  // Addresses with the kind in their unused low bits; 0: empty.
  std::array<std::atomic<std::uint64_t>, kRemembered> remembered_{};
};

// Starts caching facts about Python code objects by address. A freed object is
// forgotten, because another may reuse its address.
//
// Only the first call has an effect. `folders` classify the code. Needs the
// GIL.
void watchCode(const std::vector<CodeFolder>& folders);

// Returns the kind of `code`. Requires watchCode(). The caller must keep the
// code alive, as a running frame does.
CodeKind kindOf(const PyCodeObject& code) noexcept;

// Marks code that a recorded stack description contains. freedCodes() counts
// it when it is freed.
void noteReported(const PyCodeObject& code) noexcept;
// Returns an upper bound on how many marked code objects have been freed. It
// never decreases. A change means that cached descriptions may be stale.
std::uint64_t freedCodes() noexcept;

}  // namespace traced
