// Reads the calling thread's Python frames without the GIL, which c10d has
// released and another thread may hold for long.
//
// This is safe because a thread's frames change only while it runs Python code,
// and a running frame keeps its code alive. It changes no reference count,
// allocates nothing and calls nothing in the interpreter. The frame layout is
// known for Python 3.10 to 3.13. readsPythonFrames() verifies it against the
// interpreter.

#pragma once

struct PyCodeObject;
struct _frame;
struct _ts;

namespace traced {

// Size of an instruction in bytes.
inline constexpr int kInstructionBytes = 2;

struct PythonFrame {
  const PyCodeObject* code = nullptr;
  // Byte offset of the current instruction.
  int instruction = 0;
};

// Returns the calling thread's Python thread state, or nullptr if it has none.
const _ts* pythonThread() noexcept;

class PythonFrames {
 public:
  // Starts at the calling thread's innermost frame.
  explicit PythonFrames(const _ts* thread = pythonThread()) noexcept;

  // Sets `frame` to the next frame, from the innermost outwards. Returns false
  // after the last one.
  bool next(PythonFrame& frame) noexcept;

 private:
  const void* at_ = nullptr;
};

// Returns the code of a frame object, or nullptr if unknown.
const PyCodeObject* codeOf(_frame* frame) noexcept;

// Returns whether the known frame layout matches this interpreter. Call it with
// the GIL, in a thread that runs Python code.
bool readsPythonFrames();

}  // namespace traced
