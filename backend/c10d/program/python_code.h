// Reads code objects without the GIL: only fields that never change after
// creation. The caller must keep the code alive, as a running frame does.

#pragma once

#include <Python.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace traced {

// Returns the member that is the qualified name, up to Python 3.10 the plain
// one.
template <typename Code>
auto& qualifiedNameOf(Code& code) {
#if PY_VERSION_HEX < 0x030b0000
  return code.co_name;
#else
  return code.co_qualname;
#endif
}

// Returns the line of an instruction, given by its byte offset; 0: no line.
int lineAt(const PyCodeObject& code, int instruction);

// Returns the first `most` bytes of the qualified name, such as "Trainer.step".
// Up to Python 3.10 it is the plain name, "step".
std::string functionOf(const PyCodeObject& code, std::size_t most);

// Returns the last `most` bytes of the file name.
std::string fileOf(const PyCodeObject& code, std::size_t most);

// Returns the first `most` bytes of a Python string as UTF-8.
std::string beginningOf(PyObject* text, std::size_t most);

// Returns whether the file name starts with `beginning`.
bool isInFile(const PyCodeObject& code, std::string_view beginning) noexcept;

}  // namespace traced
