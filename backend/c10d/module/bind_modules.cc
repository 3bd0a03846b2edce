#include "c10d/module/bind_modules.h"

#include <cstdint>
#include <string>

#include "c10d/program/parameter_owners.h"
#include "c10d/program/running_modules.h"
#include "recorder/context/module_names.h"

namespace py = pybind11;

namespace traced {
namespace {

void bindNames(py::module_& module) {
  module.def(
      "module_number",
      [](const std::string& model, const std::string& name,
         const std::string& type) {
        return ModuleNames::ofProcess().numberOf(model, name, type);
      },
      py::arg("model"), py::arg("module"), py::arg("module_type"),
      "What stands for the module below; equal names have one number.");
  module.def(
      "own_parameters",
      [](std::uint64_t model, const ParameterOwners::Owned& owned) {
        ParameterOwners::ofProcess().set(model, owned);
      },
      py::arg("model"), py::arg("parameters"),
      "Says which modules the parameters of a model are of.");
  module.def(
      "disown_parameters",
      [](std::uint64_t model) { ParameterOwners::ofProcess().remove(model); },
      py::arg("model"), "Forgets them.");
}

}  // namespace

void bindModules(py::module_& module) {
  bindNames(module);
  module.def("stamp_modules", &stampModules, py::arg("wanted"),
             "Whether operations are stamped with modules and phases.");
  module.def("enter_forward", &enterForward, py::arg("module"),
             "The thread runs the module until it leaves what this returns.");
  module.def("enter_on_behalf", &enterOnBehalf, py::arg("module"),
             "The same, in the phase that the thread is in.");
  module.def("enter_optimizer", &enterOptimizer, "The thread optimizes.");
  module.def("leave_module", &leaveModule, py::arg("entered"),
             "Leaves also what was entered since.");
  module.def("leave_forward", &leaveForward, py::arg("module"),
             "Leaves what was entered last of the module.");
  module.def("leave_all_modules", &leaveAllModules, "The thread runs nothing.");
  module.def("running_module", &runningModule,
             "The module entered last, or 0.");
  module.def("module_depth", &moduleDepth, "How many are entered.");
}

}  // namespace traced
