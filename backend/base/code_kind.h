// Whose code a function of Python's is.

#pragma once

#include <cstdint>

namespace traced {

enum class CodeKind : std::uint8_t {
  kProgram,
  // A package that is installed, such as a framework that trains.
  kPackage,
  // In which nobody looks for his call: PyTorch, Python's own library, traced.
  kLibrary,
};

}  // namespace traced
