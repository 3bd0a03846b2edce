#include <torch/csrc/utils/pybind.h>

#include "c10d/module/bindings.h"
#include "c10d/wrapper/error_text.h"

namespace py = pybind11;

namespace traced {
namespace {

// Returns the exception's first argument if it is a string. Runs no Python
// code.
std::string messageOf(PyObject* error) {
  if (!PyExceptionInstance_Check(error)) return "";
  PyObject* args = reinterpret_cast<PyBaseExceptionObject*>(error)->args;
  if (!args || !PyTuple_CheckExact(args) || PyTuple_GET_SIZE(args) == 0) {
    return "";
  }
  PyObject* first = PyTuple_GET_ITEM(args, 0);
  if (!PyUnicode_CheckExact(first)) return "";
  const char* text = PyUnicode_AsUTF8(first);
  if (!text) PyErr_Clear();
  return text ? text : "";
}

// Returns a text such as "ValueError: a bad batch".
std::optional<std::string> read(const std::exception& error) {
  const auto* of_python = dynamic_cast<const py::error_already_set*>(&error);
  if (!of_python) return std::nullopt;
  const py::gil_scoped_acquire held;
  PyObject* value = of_python->value().ptr();
  if (!value) return "an exception of Python's";
  const std::string message = messageOf(value);
  return Py_TYPE(value)->tp_name + (message.empty() ? "" : ": " + message);
}

}  // namespace

void readPythonErrors() { read_python_error = &read; }

}  // namespace traced
