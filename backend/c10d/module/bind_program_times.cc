#include <unistd.h>

#include "base/clock.h"
#include "c10d/module/bindings.h"
#include "recorder/resources/program_times.h"

namespace py = pybind11;

namespace traced {
namespace {

// These are plain functions of CPython, because they may run thousands of times
// per second. They hold the GIL.

// An entry of gc.callbacks.
PyObject* onCollection(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count > 0 && PyUnicode_Check(args[0])) {
    if (PyUnicode_CompareWithASCIIString(args[0], "start") == 0) {
      collection_time.begin(nowNs());
    } else {
      collection_time.end(nowNs());
    }
  }
  Py_RETURN_NONE;
}

// Number of nested calls on the main thread.
int loading_depth = 0;

bool isMainThread() { return gettid() == getpid(); }

PyObject* loadingBegan(PyObject*, PyObject*) {
  if (!isMainThread()) {
    loading_time.stop();  // the main thread may wait for this one
  } else if (loading_depth++ == 0) {
    loading_time.begin(nowNs());
  }
  Py_RETURN_NONE;
}

// Without a begin if a signal handler raised an exception before it.
PyObject* loadingEnded(PyObject*, PyObject*) {
  if (!isMainThread() || loading_depth == 0) Py_RETURN_NONE;
  if (--loading_depth == 0) loading_time.end(nowNs());
  Py_RETURN_NONE;
}

PyMethodDef kFunctions[] = {
    {"on_collection",
     // Through void (*)(), as CPython does: METH_FASTCALL is another type.
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&onCollection)),
     METH_FASTCALL, "Counts garbage collections. An entry of gc.callbacks."},
    {"loading_began", &loadingBegan, METH_NOARGS,
     "Begins a call that loads a batch."},
    {"loading_ended", &loadingEnded, METH_NOARGS,
     "Ends a call that loads a batch."},
};

}  // namespace

void bindProgramTimes(py::module_& module) {
  for (PyMethodDef& function : kFunctions) {
    module.attr(function.ml_name) =
        py::reinterpret_steal<py::object>(PyCFunction_New(&function, nullptr));
  }
  module.def(
      "count_collections", [] { collection_time.start(); },
      "Says that on_collection() is called from now on.");
  module.def(
      "count_loading", [] { loading_time.start(); },
      "Says that loading_began() and loading_ended() are called from now on.");
}

}  // namespace traced
