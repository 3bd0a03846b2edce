// The Python frames of the calling thread, read without the GIL: c10d has let
// go of it, and another thread may keep it for long.
//
// That is safe because a thread's frames only change while it runs Python
// code, and what a frame runs cannot be freed before it ends. Nothing is
// counted, allocated or looked up in the interpreter. Where frames lie is known
// for Python 3.10 to 3.13; readsPythonFrames() holds it against the
// interpreter.

#pragma once

struct PyCodeObject;
struct _frame;
struct _ts;

namespace traced {

// What all instructions take, in bytes.
inline constexpr int kInstructionBytes = 2;

struct PythonFrame {
  const PyCodeObject* code = nullptr;
  // Offset in bytes of the instruction that runs.
  int instruction = 0;
};

// Returns what Python knows the calling thread by; nullptr: it does not know
// it.
const _ts* pythonThread() noexcept;

class PythonFrames {
 public:
  // Those of the calling thread, if Python knows it.
  explicit PythonFrames(const _ts* thread = pythonThread()) noexcept;

  // The next frame, from the innermost outwards; false behind the last.
  bool next(PythonFrame& frame) noexcept;

 private:
  void* at_ = nullptr;
};

// Returns the code that a frame object runs or ran; nullptr where that is not
// known.
const PyCodeObject* codeOf(_frame* frame) noexcept;

// Whether frames are found where this interpreter's own functions find them.
// With the GIL, in a thread that runs Python code.
bool readsPythonFrames();

}  // namespace traced
