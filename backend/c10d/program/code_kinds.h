// Whose code a Python function is, by the file that it is in, and what else is
// remembered of code objects by where they lie.

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

// What file names begin with, and what they then are.
struct CodeFolder {
  std::string beginning;
  CodeKind kind;
};

// Remembers what it was asked for, so that most answers are one load.
class CodeKinds {
 public:
  // The first folder that fits counts; what fits none is the program's own.
  explicit CodeKinds(std::vector<CodeFolder> folders)
      : folders_(std::move(folders)) {}

  // Its caller keeps the code alive, as a frame that runs it does.
  CodeKind of(const PyCodeObject& code) noexcept;

  // Other code may come to lie there.
  void forget(const void* code) noexcept;

 private:
  CodeKind find(const PyCodeObject& code) const noexcept;
  std::atomic<std::uint64_t>& placeOf(const void* code) noexcept;

  static constexpr std::size_t kRemembered = 4096;
  const std::vector<CodeFolder> folders_;
  // Where code lies, with its kind in the bits that are 0 there; 0: nothing.
  std::array<std::atomic<std::uint64_t>, kRemembered> remembered_{};
};

// What is remembered of Python's code objects, by where they lie: until one is
// freed, as another one may come to lie there.
//
// The first time; the folders tell whose code is whose. With the GIL.
void watchCode(const std::vector<CodeFolder>& folders);

// The rest once it is watched. Its caller keeps the code alive, as a frame that
// runs it does.
CodeKind kindOf(const PyCodeObject& code) noexcept;

// It was told in words.
void noteReported(const PyCodeObject& code) noexcept;
// How often code that was told has been freed.
std::uint64_t freedCodes() noexcept;

}  // namespace traced
