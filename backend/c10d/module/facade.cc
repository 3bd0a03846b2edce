#include <torch/csrc/utils/pybind.h>

#include "c10d/module/bindings.h"
#include "c10d/module/no_gil_ptr.h"
#include "c10d/wrapper/traced_backend.h"

namespace py = pybind11;

namespace traced {
namespace {

using FacadeClass =
    py::class_<TracedBackend, c10d::Backend, NoGilPtr<TracedBackend>>;

py::object innerOf(const TracedBackend& self) { return py::cast(self.inner()); }

// Makes isinstance() see the inner backend's class, as a mock object does. The
// property goes into the dict directly, because setting `__class__` on the type
// would change the type's own class.
void presentClassOfInner(FacadeClass& cls) {
  const py::object getter = py::cpp_function(
      [](const TracedBackend& self) { return py::type::of(innerOf(self)); },
      py::is_method(cls));
  const py::object property =
      py::module_::import("builtins").attr("property")(getter);
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  if (PyDict_SetItemString(type->tp_dict, "__class__", property.ptr()) != 0) {
    throw py::error_already_set();
  }
  PyType_Modified(type);
}

}  // namespace

void bindFacade(py::module_& module) {
  FacadeClass cls(
      module, "TracedBackend",
      "Wraps and records a backend. Presents the class and the attributes of "
      "the wrapped object, which is `traced_inner`.");
  cls.def_property_readonly("traced_inner", &innerOf);
  cls.def("__getattr__", [](const TracedBackend& self, const py::str& name) {
    return py::getattr(innerOf(self), name);
  });
  // A reconfiguration changes the values of the inner backend.
  cls.def("rank",
          [](const TracedBackend& self) { return self.inner()->getRank(); });
  cls.def("size",
          [](const TracedBackend& self) { return self.inner()->getSize(); });
  // Before torch 2.15, only a method of the NCCL class.
  cls.def("_start_time_estimate", [](TracedBackend& self) {
    const py::object result = innerOf(self).attr("_start_time_estimate")();
    self.setSimulating(true);
    return result;
  });
  cls.def("_end_time_estimate", [](TracedBackend& self) {
    self.setSimulating(false);
    return innerOf(self).attr("_end_time_estimate")();
  });
  presentClassOfInner(cls);
}

}  // namespace traced
