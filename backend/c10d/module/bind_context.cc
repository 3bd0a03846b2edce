#include "c10d/module/bind_context.h"

#include <cstdint>
#include <optional>
#include <string>

#include "c10d/program/context_carrier.h"
#include "recorder/context/context.h"

namespace py = pybind11;

namespace traced {
namespace {

std::uint64_t enterAnnotation(const std::string& annotation) {
  v1::Context change;
  change.add_annotation(annotation);
  return enterContext(change);
}

std::uint64_t enterCall(const std::string& name, std::uint64_t number,
                        std::optional<std::uint64_t> bytes) {
  v1::Context change;
  change.set_parent(name);
  change.set_parent_number(number);
  if (bytes) change.set_parent_bytes(*bytes);
  return enterContext(change);
}

}  // namespace

void bindContext(py::module_& module) {
  carryContexts();
  module.def("enter_annotation", &enterAnnotation, py::arg("annotation"),
             "The thread is in it until it leaves what this returns.");
  module.def("enter_call", &enterCall, py::arg("name"), py::arg("number"),
             py::arg("bytes"), "The same.");
  module.def("leave", &leaveContext, py::arg("entered"),
             "False if the thread is not in it.");
}

}  // namespace traced
