#pragma once

#include <torch/csrc/utils/pybind.h>

namespace traced {

// Where in the program's code threads are.
void bindStacks(pybind11::module_& module);

}  // namespace traced
