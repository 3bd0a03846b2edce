// Samples one thread of this process: its Python stack and what the kernel
// knows about it.

#pragma once

#include <cstdint>
#include <string>

#include "recorder/standstill/python_threads.h"
#include "recorder/standstill/thread_activity.h"
#include "traced/v1/definitions.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

struct ThreadSample {
  std::int64_t tid = 0;
  // Empty if there is none to show.
  v1::Stack stack;
  v1::StackReading reading = v1::STACK_READING_UNSPECIFIED;
  ThreadActivity activity;
  std::string waits_in;
  // It waits for the interpreter lock (GIL).
  bool waits_for_gil = false;
};

// Samples a thread. `python` reads its stack; nullptr: the stack is not read.
// May throw std::bad_alloc.
ThreadSample sampleThread(std::int64_t tid, PythonThreads* python);

// Returns the outer frames that two readings of a running thread have in
// common. The innermost has no line if only the line differs. Returns an empty
// stack if none is known to be common.
v1::Stack commonOf(const v1::Stack& one, const v1::Stack& other);

}  // namespace traced
