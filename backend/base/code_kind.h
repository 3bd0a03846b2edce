// CodeKind classifies a Python function by the owner of its code.

#pragma once

#include <cstdint>

namespace traced {

enum class CodeKind : std::uint8_t {
  kProgram,
  // An installed package, such as a training framework.
  kPackage,
  // PyTorch, the Python standard library, and traced. A user's call site is
  // never in these.
  kLibrary,
};

}  // namespace traced
