// Finds functions of optional libraries.

#pragma once

#include <dlfcn.h>

namespace traced {

// Sets `function` to the library's symbol `name`. Returns false and sets
// nullptr if it is missing. The caller must know its type.
template <typename Function>
bool findFunction(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace traced
