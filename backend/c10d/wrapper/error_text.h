// The text that is recorded for an exception.
//
// `what()` may be expensive or run code: torch's errors symbolize their C++
// backtrace (milliseconds), and Python's call the program's code, which might
// count the call, log it or block. The caller's thread pays for neither.

#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <optional>
#include <string>

namespace traced {

// Returns nothing for exceptions that are not Python's. Set once, when the
// module is loaded; a program without Python has none.
using ReadPythonError = std::optional<std::string> (*)(const std::exception&);
inline ReadPythonError read_python_error = nullptr;

// Returns the message of an exception that is not Python's.
inline const char* cheapMessage(const std::exception& error) noexcept {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  return of_torch ? of_torch->what_without_backtrace() : error.what();
}

// Calls `tell` with the text. What is being handled must go on, so nothing is
// thrown.
template <typename Tell>
void reportError(const std::exception& error, Tell tell) noexcept {
  std::optional<std::string> read;
  try {
    if (read_python_error) read = read_python_error(error);
  } catch (...) {
    read.emplace();
  }
  tell(read ? read->c_str() : cheapMessage(error));
}

// Calls `tell` with the text of a stored exception, which is not null.
template <typename Tell>
void reportError(const std::exception_ptr& error, Tell tell) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& thrown) {
    reportError(thrown, tell);
  } catch (...) {
    tell("unknown exception");
  }
}

}  // namespace traced
