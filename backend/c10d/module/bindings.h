// What the parts of the module add to it, and connect when it is loaded.

#pragma once

#include <pybind11/pybind11.h>
#include <torch/csrc/utils/pybind.h>

#include <string>

namespace traced {

// Adds what Python says of where in the program its thread is.
void bindContext(pybind11::module_& module);

// Gives what the rank has communicated so far to Python, and to the handlers of
// torch's control plane.
void bindMetrics(pybind11::module_& module);

// Adds what forward hooks and optimizer hooks of Python say.
void bindModules(pybind11::module_& module);

// Adds where in the program's code threads are.
void bindStacks(pybind11::module_& module);

// Adds the class TracedBackend to the module. Its instances have the class and
// every attribute of the backend they wrap.
void bindFacade(pybind11::module_& module);

// Handlers of torch's control plane: a worker server of the process's answers
// with them in a thread of its own, also while another thread holds the GIL.
// Registers them, once in a process.
void registerHandlers() noexcept;

// Loads the library that NCCL is to load as its profiler plugin, and gives it
// the recorder (TRACED_NCCL_PROFILER). NCCL then finds this very library.
// Returns why it cannot be, "" if it can.
std::string connectNcclProfiler(const std::string& library);

// Has exceptions of Python's that go through C++ read from now on
// (error_text.h).
void readPythonErrors();

}  // namespace traced
