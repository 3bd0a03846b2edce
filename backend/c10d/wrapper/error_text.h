// What is recorded of an exception.
//
// One of Python's that says what it is runs code of the program's, which might
// count it, log it or stand still. So it is read instead, by who knows Python.

#pragma once

#include <exception>
#include <optional>
#include <string>

namespace traced {

// Absent for exceptions that are none of Python's. Set once, when the module is
// loaded; what is built without Python has none.
using ReadPythonError = std::optional<std::string> (*)(const std::exception&);
inline ReadPythonError read_python_error = nullptr;

// Calls `tell` with the text. What is being handled must go on, so nothing is
// thrown.
template <typename Tell>
void tellError(const std::exception& error, Tell tell) noexcept {
  std::optional<std::string> read;
  try {
    if (read_python_error) read = read_python_error(error);
  } catch (...) {
    read.emplace();
  }
  tell(read ? read->c_str() : error.what());
}

}  // namespace traced
