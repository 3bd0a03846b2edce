// A Python module for tests: reads the stacks of other threads on a thread
// without the GIL, as the recorder does.

#include <Python.h>

#include <atomic>
#include <thread>

#include "c10d/program/other_threads.h"

namespace traced {
namespace {

OtherThreads* reader = nullptr;

// init(): returns "", or why stacks cannot be read.
PyObject* init(PyObject*, PyObject*) {
  auto created = OtherThreads::create({});
  if (!created) return PyUnicode_FromString(created.error().message.c_str());
  reader = created->release();
  return PyUnicode_FromString("");
}

PyObject* tupleOf(const v1::Stack& stack) {
  PyObject* const frames = PyList_New(0);
  for (const v1::Frame& frame : stack.frame()) {
    PyObject* const one = Py_BuildValue("(ssI)", frame.function().c_str(),
                                        frame.file().c_str(), frame.line());
    PyList_Append(frames, one);
    Py_DECREF(one);
  }
  return Py_BuildValue("(NssI)", frames, stack.handling().type().c_str(),
                       stack.handling().message().c_str(), stack.cut());
}

// stack(tid): returns (frames, exception type, message, frames cut), or None.
PyObject* stackOf(PyObject*, PyObject* tid) {
  const std::int64_t wanted = PyLong_AsLongLong(tid);
  std::optional<v1::Stack> stack;
  std::thread([&] { stack = reader->stackOf(wanted); }).join();
  if (!stack) Py_RETURN_NONE;
  return tupleOf(*stack);
}

// threads(): returns the kernel ids of all threads.
PyObject* threads(PyObject*, PyObject*) {
  PyObject* const tids = PyList_New(0);
  for (const std::int64_t tid : reader->all()) {
    PyObject* const one = PyLong_FromLongLong(tid);
    PyList_Append(tids, one);
    Py_DECREF(one);
  }
  return tids;
}

// interpreter(): returns (holder of the GIL, whether a collection runs).
PyObject* interpreter(PyObject*, PyObject*) {
  InterpreterState state;
  std::thread([&] { state = reader->interpreter(); }).join();
  return Py_BuildValue("(LO)", static_cast<long long>(state.gil_holder),
                       state.collects ? Py_True : Py_False);
}

std::thread* sampler = nullptr;
std::atomic<bool> stops{false};
long long samples = 0, read_stacks = 0, frames = 0;

void sampleUntilStopped() {
  while (!stops) {
    for (const std::int64_t tid : reader->all()) {
      const auto stack = reader->stackOf(tid);
      ++samples;
      read_stacks += stack.has_value();
      frames += stack ? stack->frame_size() : 0;
    }
    reader->interpreter();
  }
}

// start(): samples all threads without a pause until stop().
PyObject* start(PyObject*, PyObject*) {
  sampler = new std::thread(sampleUntilStopped);
  Py_RETURN_NONE;
}

// stop(): returns the numbers of samples, of stacks read and of frames.
PyObject* stop(PyObject*, PyObject*) {
  stops = true;
  Py_BEGIN_ALLOW_THREADS;
  sampler->join();
  Py_END_ALLOW_THREADS;
  return Py_BuildValue("(LLL)", samples, read_stacks, frames);
}

PyMethodDef functions[] = {{"init", init, METH_NOARGS, nullptr},
                           {"stack", stackOf, METH_O, nullptr},
                           {"threads", threads, METH_NOARGS, nullptr},
                           {"interpreter", interpreter, METH_NOARGS, nullptr},
                           {"start", start, METH_NOARGS, nullptr},
                           {"stop", stop, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "probe",
                      nullptr,
                      -1,
                      functions,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

}  // namespace
}  // namespace traced

PyMODINIT_FUNC PyInit_probe() { return PyModule_Create(&traced::module); }
