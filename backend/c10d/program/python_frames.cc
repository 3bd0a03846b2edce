// The interpreter's internal headers are used only in this file.
#define Py_BUILD_CORE 1

#include "c10d/program/python_frames.h"

#include <Python.h>

#if PY_VERSION_HEX < 0x030b0000
#include <frameobject.h>
#elif PY_VERSION_HEX < 0x030e0000
#include <internal/pycore_frame.h>
#endif

namespace traced {
namespace {

#if PY_VERSION_HEX < 0x030b0000

using Frame = PyFrameObject;

Frame* innermost(const PyThreadState& thread) { return thread.frame; }
Frame* outside(const Frame& frame) { return frame.f_back; }
bool isWhole(Frame&) { return true; }
PythonFrame read(Frame& frame) {
  return {frame.f_code, frame.f_lasti * kInstructionBytes};
}
Frame* dataOf(PyFrameObject& frame) { return &frame; }

#elif PY_VERSION_HEX < 0x030e0000 && !defined(Py_GIL_DISABLED)

using Frame = _PyInterpreterFrame;

Frame* innermost(const PyThreadState& thread) {
#if PY_VERSION_HEX < 0x030d0000
  return thread.cframe->current_frame;
#else
  return thread.current_frame;
#endif
}
Frame* outside(const Frame& frame) { return frame.previous; }

// Returns false for the interpreter's own frames and for frames whose arguments
// are not complete.
bool isWhole(Frame& frame) {
#if PY_VERSION_HEX >= 0x030c0000
  if (frame.owner == FRAME_OWNED_BY_CSTACK) return false;
#endif
  return !_PyFrame_IsIncomplete(&frame);
}

PythonFrame read(Frame& frame) {
#if PY_VERSION_HEX < 0x030d0000
  const PyCodeObject* const code = frame.f_code;
#else
  const auto* code = reinterpret_cast<const PyCodeObject*>(frame.f_executable);
#endif
  return {code, _PyInterpreterFrame_LASTI(&frame) * kInstructionBytes};
}
Frame* dataOf(PyFrameObject& frame) { return frame.f_frame; }

#else  // an unsupported Python: finds no frames

struct Frame {};

Frame* innermost(const PyThreadState&) { return nullptr; }
Frame* outside(const Frame&) { return nullptr; }
bool isWhole(Frame&) { return false; }
PythonFrame read(Frame&) { return {}; }
Frame* dataOf(PyFrameObject&) { return nullptr; }

#endif

}  // namespace

const PyThreadState* pythonThread() noexcept {
  // Needs no GIL. Returns nullptr in a thread that Python does not know.
  return PyGILState_GetThisThreadState();
}

PythonFrames::PythonFrames(const PyThreadState* thread) noexcept {
  if (thread) at_ = innermost(*thread);
}

bool PythonFrames::next(PythonFrame& found) noexcept {
  while (at_) {
    Frame& frame = *static_cast<Frame*>(at_);
    at_ = outside(frame);
    if (!isWhole(frame)) continue;
    found = read(frame);
    return true;
  }
  return false;
}

const PyCodeObject* codeOf(_frame* frame) noexcept {
  const bool is_one =
      frame && PyFrame_Check(reinterpret_cast<PyObject*>(frame));
  Frame* const data = is_one ? dataOf(*frame) : nullptr;
  const PyCodeObject* const code = data ? read(*data).code : nullptr;
  return code && PyCode_Check(code) ? code : nullptr;
}

bool readsPythonFrames() {
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return false;
  Py_INCREF(frame);
  PythonFrames frames;
  PythonFrame found;
  bool same = true;
  while (same && frame) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    same = frames.next(found) && found.code == code &&
           PyCode_Addr2Line(code, found.instruction) ==
               PyFrame_GetLineNumber(frame);
    Py_DECREF(code);
    PyFrameObject* const back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  return same && !frames.next(found);
}

}  // namespace traced
