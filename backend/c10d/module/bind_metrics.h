// What the rank has communicated so far, for who asks in its process.

#pragma once

#include <torch/csrc/utils/pybind.h>

namespace traced {

// Gives it to Python, and to the handlers of torch's control plane.
void bindMetrics(pybind11::module_& module);

}  // namespace traced
