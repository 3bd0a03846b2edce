#include "c10d/program/python_frames.h"

#include "c10d/program/frame_layout.h"

namespace traced {

const PyThreadState* pythonThread() noexcept {
  // Needs no GIL. Returns nullptr in a thread that Python does not know.
  return PyGILState_GetThisThreadState();
}

PythonFrames::PythonFrames(const PyThreadState* thread) noexcept {
  const auto* const innermost = thread ? layout::innermostAt(*thread) : nullptr;
  if (innermost) at_ = *innermost;
}

bool PythonFrames::next(PythonFrame& found) noexcept {
  while (at_) {
    const auto& frame = *static_cast<const layout::Frame*>(at_);
    at_ = layout::outside(frame);
    if (layout::isInterpreters(frame)) continue;
    const PyCodeObject* const code = layout::codeOf(frame);
    if (!layout::hasBegun(frame, *code)) continue;
    found = {code, layout::instructionOf(frame)};
    return true;
  }
  return false;
}

const PyCodeObject* codeOf(_frame* frame) noexcept {
  const bool is_one =
      frame && PyFrame_Check(reinterpret_cast<PyObject*>(frame));
  const auto* const data = is_one ? layout::dataOf(*frame) : nullptr;
  const PyCodeObject* const code = data ? layout::codeOf(*data) : nullptr;
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
