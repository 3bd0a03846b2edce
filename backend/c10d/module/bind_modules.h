#pragma once

#include <torch/csrc/utils/pybind.h>

namespace traced {

// What forward hooks and optimizer hooks of Python say.
void bindModules(pybind11::module_& module);

}  // namespace traced
