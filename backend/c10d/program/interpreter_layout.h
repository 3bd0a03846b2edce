// The layout of threads, the interpreter lock (GIL) and the garbage collector,
// for Python 3.10 to 3.13. Include it only in files that are compiled
// separately, because it includes the interpreter's internal headers.

#pragma once

#include "c10d/program/frame_layout.h"

#if PY_VERSION_HEX < 0x030e0000
// These headers use C's atomics, which C++ lacks. Without them, they declare
// types of the same layout.
#undef HAVE_STD_ATOMIC
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif

#include <unistd.h>

namespace traced::layout {

// Returns the kernel id of a thread. Python 3.10 knows it of the main thread
// only; 0: unknown.
inline std::int64_t tidOf(const PyThreadState& thread) {
#if PY_VERSION_HEX < 0x030b0000
  return thread.thread_id == _PyRuntime.main_thread ? getpid() : 0;
#else
  return static_cast<std::int64_t>(thread.native_thread_id);
#endif
}

#if PY_VERSION_HEX < 0x030e0000

using Gil = _gil_runtime_state;

inline const Gil* gilOf(const PyInterpreterState& interpreter) {
#if PY_VERSION_HEX < 0x030c0000
  static_cast<void>(interpreter);
  return &_PyRuntime.ceval.gil;
#else
  return interpreter.ceval.gil;
#endif
}
// Returns the thread that holds the lock, or nullptr.
inline const PyThreadState* holderOf(const Gil& gil) {
#if PY_VERSION_HEX < 0x030d0000
  return gil.locked._value == 1
             ? reinterpret_cast<const PyThreadState*>(gil.last_holder._value)
             : nullptr;
#else
  return gil.locked == 1 ? gil.last_holder : nullptr;
#endif
}
// Returns the address of a number that is 1 during a garbage collection.
inline const int* collectingAt(const PyInterpreterState* interpreter) {
  return &interpreter->gc.collecting;
}
// Returns whether the layout fits this interpreter. Needs the GIL.
inline bool fits(const PyInterpreterState& interpreter) {
  return holderOf(*gilOf(interpreter)) == PyThreadState_Get() &&
         interpreter.gc.enabled == PyGC_IsEnabled() &&
         interpreter.gc.collecting == 0;
}

#else  // an unsupported Python

struct Gil {};

inline const Gil* gilOf(const PyInterpreterState&) { return nullptr; }
inline const PyThreadState* holderOf(const Gil&) { return nullptr; }
inline const int* collectingAt(const PyInterpreterState*) { return nullptr; }
inline bool fits(const PyInterpreterState&) { return false; }

#endif

}  // namespace traced::layout
