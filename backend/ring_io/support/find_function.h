// Functions of libraries that may or may not be there.

#pragma once

#include <dlfcn.h>

namespace traced {

// Sets `function` to what the library has under this name; false if nothing.
template <typename Function>
bool findFunction(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace traced
