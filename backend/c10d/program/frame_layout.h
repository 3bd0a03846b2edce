// The layout of Python frames, for Python 3.10 to 3.13. Include it only in
// files that are compiled separately, because it includes the interpreter's
// internal headers.
//
// The functions read only the given objects, which may be copies.

#pragma once

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif

#include <Python.h>

#if PY_VERSION_HEX < 0x030b0000
#include <frameobject.h>
#elif PY_VERSION_HEX < 0x030e0000
#include <internal/pycore_frame.h>
#endif

#include <cstddef>
#include <cstdint>

#include "c10d/program/python_frames.h"

namespace traced::layout {

#if PY_VERSION_HEX < 0x030b0000

using Frame = PyFrameObject;

// Returns the address that holds the innermost frame of a thread, or nullptr.
inline Frame* const* innermostAt(const PyThreadState& thread) {
  return &thread.frame;
}
inline const Frame* outside(const Frame& frame) { return frame.f_back; }
// Returns the address of the code. May be no code if the frame is the
// interpreter's own or was read while it changed.
inline const PyCodeObject* codeOf(const Frame& frame) { return frame.f_code; }
// Returns the byte offset of the current instruction.
inline int instructionOf(const Frame& frame) {
  return frame.f_lasti * kInstructionBytes;
}
inline bool isInterpreters(const Frame&) { return false; }
// Returns whether the frame runs, so that its arguments are complete.
inline bool hasBegun(const Frame&, const PyCodeObject&) { return true; }
inline const Frame* dataOf(const PyFrameObject& frame) { return &frame; }

#elif PY_VERSION_HEX < 0x030e0000 && !defined(Py_GIL_DISABLED)

using Frame = _PyInterpreterFrame;

inline Frame* const* innermostAt(const PyThreadState& thread) {
#if PY_VERSION_HEX < 0x030d0000
  return thread.cframe ? &thread.cframe->current_frame : nullptr;
#else
  return &thread.current_frame;
#endif
}
inline const Frame* outside(const Frame& frame) { return frame.previous; }
inline const PyCodeObject* codeOf(const Frame& frame) {
#if PY_VERSION_HEX < 0x030d0000
  return frame.f_code;
#else
  return reinterpret_cast<const PyCodeObject*>(frame.f_executable);
#endif
}
inline int instructionOf(const Frame& frame) {
#if PY_VERSION_HEX < 0x030d0000
  const void* const at = frame.prev_instr;
#else
  const void* const at = frame.instr_ptr;
#endif
  // Subtracts integers, because a copied frame may be damaged.
  const auto begin = reinterpret_cast<std::uintptr_t>(codeOf(frame)) +
                     offsetof(PyCodeObject, co_code_adaptive);
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) - begin);
}
inline bool isInterpreters(const Frame& frame) {
#if PY_VERSION_HEX < 0x030c0000
  static_cast<void>(frame);
  return false;
#else
  return frame.owner == FRAME_OWNED_BY_CSTACK;
#endif
}
inline bool hasBegun(const Frame& frame, const PyCodeObject& code) {
  return frame.owner == FRAME_OWNED_BY_GENERATOR ||
         instructionOf(frame) >= code._co_firsttraceable * kInstructionBytes;
}
inline const Frame* dataOf(const PyFrameObject& frame) { return frame.f_frame; }

#else  // an unsupported Python: has no frames

struct Frame {};

inline Frame* const* innermostAt(const PyThreadState&) { return nullptr; }
inline const Frame* outside(const Frame&) { return nullptr; }
inline const PyCodeObject* codeOf(const Frame&) { return nullptr; }
inline int instructionOf(const Frame&) { return 0; }
inline bool isInterpreters(const Frame&) { return true; }
inline bool hasBegun(const Frame&, const PyCodeObject&) { return false; }
inline const Frame* dataOf(const PyFrameObject&) { return nullptr; }

#endif

}  // namespace traced::layout
