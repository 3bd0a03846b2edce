#include "c10d/groups/backend_identity.h"

#include <c10/util/Type.h>
#include <torch/csrc/utils/pybind.h>

#include <typeinfo>

namespace py = pybind11;

namespace traced {
namespace {

constexpr const char* kOfTorch = "c10d::";
// What torch has for classes of Python's, and around any with its checks.
constexpr const char* kOfPython = "c10d::PyBackend";
constexpr const char* kChecks = "c10d::ProcessGroupWrapper";

std::string classOfPython(const py::object& backend) {
  const py::type type = py::type::of(backend);
  return py::str(type.attr("__module__")).cast<std::string>() + "." +
         py::str(type.attr("__qualname__")).cast<std::string>();
}

}  // namespace

std::string backendName(const c10d::Backend& backend,
                        const std::string& known_as) {
  try {
    std::string name = backend.getBackendName();
    if (!name.empty()) return name;
  } catch (...) {  // c10d's own throws where a class does not say.
  }
  return known_as;
}

std::string foreignClass(const c10::intrusive_ptr<c10d::Backend>& backend) {
  const c10d::Backend& object = *backend;
  std::string name = c10::demangle(typeid(object).name());
  if (name == kOfPython) return classOfPython(py::cast(backend));
  if (name == kChecks) {
    return foreignClass(py::cast(backend)
                            .attr("wrapped_pg")
                            .cast<c10::intrusive_ptr<c10d::Backend>>());
  }
  return name.starts_with(kOfTorch) ? std::string() : name;
}

}  // namespace traced
