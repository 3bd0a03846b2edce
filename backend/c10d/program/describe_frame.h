// Describes Python frames and finds the call site among them, for stacks of the
// calling thread and of other threads.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/code_kind.h"
#include "c10d/program/python_code.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// Maximum number of described frames, and of visited ones.
inline constexpr std::size_t kMaxFrames = 64;
inline constexpr std::size_t kMaxDepth = 4096;
// Maximum length of the class of an exception.
inline constexpr std::size_t kMaxTypeBytes = 128;

// Describes the instruction at a byte offset of the code.
inline void describeFrame(const PyCodeObject& code, int instruction,
                          v1::Frame& frame) {
  constexpr std::size_t kMaxFunctionBytes = 128;
  constexpr std::size_t kMaxFileBytes = 256;
  frame.set_function(functionOf(code, kMaxFunctionBytes));
  frame.set_file(fileOf(code, kMaxFileBytes));
  frame.set_line(static_cast<std::uint32_t>(lineAt(code, instruction)));
}

// Notes the kind of the frame that was added last, from the innermost outwards.
inline void noteKind(CodeKind kind, v1::Stack& stack) {
  if (stack.site() > 0) return;
  const auto number = static_cast<std::uint32_t>(stack.frame_size());
  if (kind == CodeKind::kProgram) {
    stack.set_site(number);
  } else if (kind == CodeKind::kPackage && stack.package() == 0) {
    stack.set_package(number);
  }
}

// Completes a stack: without code of the program, the package is the call site.
inline void settleSite(v1::Stack& stack) {
  if (stack.site() > 0) return;
  stack.set_site(stack.package());
  stack.clear_package();
}

}  // namespace traced
