// Whose code a Python function is, by the file that it is in.

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
  CodeKind lookUp(const PyCodeObject& code) const noexcept;
  std::atomic<std::uint64_t>& placeOf(const void* code) noexcept;

  static constexpr std::size_t kRemembered = 4096;
  const std::vector<CodeFolder> folders_;
  // Where code lies, with its kind in the bits that are 0 there; 0: nothing.
  std::array<std::atomic<std::uint64_t>, kRemembered> remembered_{};
};

}  // namespace traced
