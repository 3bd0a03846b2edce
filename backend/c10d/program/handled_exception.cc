#include "c10d/program/handled_exception.h"

#include <Python.h>

namespace traced {
namespace {

bool isNone(const PyObject* object) { return !object || object == Py_None; }

// Returns the exception that the thread handles. A generator has its own stack
// item, which is empty while it handles nothing.
PyObject* handledBy(const PyThreadState& thread) {
  const _PyErr_StackItem* item = thread.exc_info;
  if (!item) return nullptr;
  while (isNone(item->exc_value) && item->previous_item) {
    item = item->previous_item;
  }
  PyObject* const value = item->exc_value;
  return !isNone(value) && PyExceptionInstance_Check(value) ? value : nullptr;
}

PyTracebackObject* traceback(PyObject* object) {
  const bool is_one = object && PyTraceBack_Check(object);
  return is_one ? reinterpret_cast<PyTracebackObject*>(object) : nullptr;
}

}  // namespace

HandledException::HandledException(const PyThreadState* thread) noexcept {
  PyObject* const error = thread ? handledBy(*thread) : nullptr;
  if (!error) [[likely]]
    return;
  error_ = error;
  at_ = reinterpret_cast<PyBaseExceptionObject*>(error)->traceback;
}

std::string_view HandledException::type() const noexcept {
  const std::string_view name =
      Py_TYPE(static_cast<const PyObject*>(error_))->tp_name;
  return name.substr(name.rfind('.') + 1);
}

bool HandledException::next(PythonFrame& frame) noexcept {
  const PyTracebackObject* const here = traceback(static_cast<PyObject*>(at_));
  if (!here) return false;
  at_ = here->tb_next;
  const PyCodeObject* const code = codeOf(here->tb_frame);
  if (!code) return false;
  frame = {code, here->tb_lasti};
  return true;
}

}  // namespace traced
