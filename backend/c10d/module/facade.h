// What Python sees of a traced backend.

#pragma once

#include <pybind11/pybind11.h>

namespace traced {

// Adds the class TracedBackend to the module. Its instances have the class and
// every attribute of the backend they wrap.
void bindFacade(pybind11::module_& module);

}  // namespace traced
