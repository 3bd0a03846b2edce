// Reads code objects without the GIL: only fields that never change after
// creation. The caller must keep the code alive, as a running frame does.

#pragma once

#include <Python.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace traced {

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
