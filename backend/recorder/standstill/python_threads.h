// PythonThreads reads what the interpreter's threads do. It keeps the recorder
// independent of Python.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

struct InterpreterState {
  // Kernel id of the thread that holds the interpreter lock (GIL). 0: none, or
  // unknown.
  std::int64_t gil_holder = 0;
  // A garbage collection runs.
  bool collects = false;
};

// Thread safety: one thread.
class PythonThreads {
 public:
  // Returns the kernel ids of all threads that run Python.
  virtual std::vector<std::int64_t> all() = 0;
  // Returns the Python stack of a thread at this moment; empty if it runs no
  // Python. Returns nullopt if it cannot be read. If the thread runs meanwhile,
  // the result may mix two moments.
  virtual std::optional<v1::Stack> stackOf(std::int64_t tid) = 0;
  virtual InterpreterState interpreter() = 0;
  // Returns whether a thread that waits at this address (futex) waits for the
  // interpreter lock.
  virtual bool isGil(std::uint64_t address) = 0;

 protected:
  ~PythonThreads() = default;
};

// Sets the reader of the process; nullptr for none. It must never be destroyed.
inline std::atomic<PythonThreads*> python_threads{nullptr};

}  // namespace traced
