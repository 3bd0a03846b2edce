// HandledException reads the exception that the calling thread handles, in an
// `except` or `finally` block or in code called from one. It works without the
// GIL, as python_frames does and for the same reason.
//
// The block keeps the exception alive, and the exception keeps its traceback
// alive. Another thread that shares the exception could replace the traceback
// at that moment. Objects in a traceback are therefore used only if their type
// is the expected one.

#pragma once

#include <string_view>

#include "c10d/program/python_frames.h"

namespace traced {

class HandledException {
 public:
  explicit HandledException(const _ts* thread = pythonThread()) noexcept;

  bool any() const noexcept { return error_ != nullptr; }
  // Returns the name of the class without its module. Requires any().
  std::string_view type() const noexcept;
  // Sets `frame` to the next frame of the traceback, from the outermost
  // inwards. Returns false after the frame that raised.
  bool next(PythonFrame& frame) noexcept;

 private:
  const void* error_ = nullptr;
  void* at_ = nullptr;
};

}  // namespace traced
