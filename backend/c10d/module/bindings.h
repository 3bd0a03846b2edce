// Functions that each part of the Python module adds at load time.

#pragma once

#include <pybind11/pybind11.h>
#include <torch/csrc/utils/pybind.h>

#include <string>

namespace traced {

// Adds the functions that set a thread's annotations.
void bindContext(pybind11::module_& module);

// Adds a rank's communication totals, for Python and for torch's control plane.
void bindMetrics(pybind11::module_& module);

// Adds the functions that forward hooks and optimizer hooks call.
void bindModules(pybind11::module_& module);

// Adds the callbacks of operations.
void bindOperations(pybind11::module_& module);

// Adds the recording of program stacks.
void bindStacks(pybind11::module_& module);

// Adds the functions that measure how long the program collects garbage and
// loads data.
void bindProgramTimes(pybind11::module_& module);

// Adds the recording of the content of tensors outside of operations.
void bindValues(pybind11::module_& module);

// Adds the class TracedBackend to the module. Its instances present the class
// and every attribute of the backend they wrap.
void bindFacade(pybind11::module_& module);

// Registers the handlers of torch's control plane, once per process. A worker
// server runs them on its own thread, even while another thread holds the GIL.
void registerHandlers() noexcept;

// Loads the library that NCCL will load as its profiler plugin, and connects it
// to the recorder (TRACED_NCCL_PROFILER). NCCL then reuses this loaded library.
// Returns "" on success, otherwise the reason.
std::string connectNcclProfiler(const std::string& library);

// Enables reading the text of Python exceptions that pass through C++
// (error_text.h).
void readPythonErrors();

}  // namespace traced
