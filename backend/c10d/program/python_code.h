// What a code object says of itself, read without the GIL: only what is fixed
// when it is made. Its caller keeps it alive, as a frame that runs it does.

#pragma once

#include <Python.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace traced {

// The line of an instruction, given by its offset in bytes; 0: it has none.
int lineAt(const PyCodeObject& code, int instruction);

// "Trainer.step" (up to Python 3.10: "step"); the first `most` bytes.
std::string functionOf(const PyCodeObject& code, std::size_t most);

// The last `most` bytes.
std::string fileOf(const PyCodeObject& code, std::size_t most);

// Whether the name of its file begins with this.
bool isInFile(const PyCodeObject& code, std::string_view beginning) noexcept;

}  // namespace traced
