#pragma once

#include <torch/csrc/utils/pybind.h>

namespace traced {

// What Python says of where in the program its thread is.
void bindContext(pybind11::module_& module);

}  // namespace traced
