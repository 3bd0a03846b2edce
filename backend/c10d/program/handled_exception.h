// The exception that the calling thread handles: it runs an `except` or
// `finally` block, or code called from one. Read without the GIL, as
// python_frames does and for the same reason.
//
// The block keeps the exception alive, and the exception its traceback, unless
// another thread that has the exception replaces that at this moment. So what
// a traceback names is used only where its type is the expected one.

#pragma once

#include <string_view>

#include "c10d/program/python_frames.h"

namespace traced {

class HandledException {
 public:
  explicit HandledException(const _ts* thread = pythonThread()) noexcept;

  bool any() const noexcept { return error_ != nullptr; }
  // Returns the name of its class, without the module.
  std::string_view type() const noexcept;
  // Sets the next frame that it left, from the outermost inwards; returns false
  // behind the one that raised it.
  bool next(PythonFrame& frame) noexcept;

 private:
  const void* error_ = nullptr;
  void* at_ = nullptr;
};

}  // namespace traced
