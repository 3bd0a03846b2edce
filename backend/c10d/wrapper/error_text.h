// Determines the text to record for an exception.
//
// `what()` may be expensive or run code. torch's errors symbolize their C++
// backtrace, which takes milliseconds. Python's errors call the program's code,
// which could log or block. The caller's thread must pay for neither.

#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <optional>
#include <string>

namespace traced {

// Returns nullopt for exceptions that are not Python's. Set once, when the
// module is loaded. Null in a program without Python.
using ReadPythonError = std::optional<std::string> (*)(const std::exception&);
inline ReadPythonError read_python_error = nullptr;

// Returns the message of an exception that is not Python's.
inline const char* cheapMessage(const std::exception& error) noexcept {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  return of_torch ? of_torch->what_without_backtrace() : error.what();
}

// Calls `report` with the text of `error`. Never throws, because the exception
// must propagate.
template <typename Report>
void reportError(const std::exception& error, Report report) noexcept {
  std::optional<std::string> read;
  try {
    if (read_python_error) read = read_python_error(error);
  } catch (...) {
    read.emplace();
  }
  report(read ? read->c_str() : cheapMessage(error));
}

// Calls `report` with the text of a stored exception, which must not be null.
template <typename Report>
void reportError(const std::exception_ptr& error, Report report) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& thrown) {
    reportError(thrown, report);
  } catch (...) {
    report("unknown exception");
  }
}

}  // namespace traced
