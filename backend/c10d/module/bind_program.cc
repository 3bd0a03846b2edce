#include <ATen/ThreadLocalPythonObjects.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "c10d/module/bindings.h"
#include "c10d/program/other_threads.h"
#include "c10d/program/parameter_owners.h"
#include "c10d/program/program_stacks.h"
#include "c10d/program/running_modules.h"
#include "recorder/context/context.h"
#include "recorder/context/placed_contexts.h"
#include "recorder/standstill/python_threads.h"

namespace py = pybind11;

namespace traced {
namespace {

using at::impl::ThreadLocalPythonObjects;

// PyTorch propagates these to other threads by shared pointer. It holds no
// Python object, so it can be released without the GIL.
struct Given : c10::SafePyObject {
  explicit Given(ContextRef given)
      : SafePyObject(nullptr, nullptr), context(std::move(given)) {}
  const ContextRef context;
};

const std::string& key() {
  static const std::string kKey = "traced.context";
  return kKey;
}

class TorchContextCarrier final : public ContextCarrier {
 public:
  void give(const ContextRef& context) override {
    // Some versions of torch cannot erase a key.
    static const auto kNothing = std::make_shared<Given>(nullptr);
    ThreadLocalPythonObjects::set(
        key(), context ? std::make_shared<Given>(context) : kNothing);
  }

  const ContextRef* given() const noexcept override {
    if (!ThreadLocalPythonObjects::contains(key())) return nullptr;
    const auto& object = ThreadLocalPythonObjects::get(key());
    return &static_cast<const Given*>(object.get())->context;
  }
};

// Propagates contexts to threads that work for another one in PyTorch:
// autograd's and those of TorchScript's fork. Takes effect with the next
// context that is entered.
void carryContexts() {
  static TorchContextCarrier carrier;
  setContextCarrier(carrier);
}

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
  module.def(
      "enter_annotation", &enterAnnotation, py::arg("annotation"),
      "Enters an annotation on this thread. Returns a token for leave().");
  module.def("enter_call", &enterCall, py::arg("name"), py::arg("number"),
             py::arg("bytes"),
             "Enters a torch.distributed call that issues several operations. "
             "Returns a token for leave().");
  module.def(
      "leave", &leaveContext, py::arg("entered"),
      "Removes what returned the token. Returns False if this thread has "
      "not entered it.");
}

namespace {

void bindNames(py::module_& module) {
  module.def(
      "module_number",
      [](const std::string& model, const std::string& name,
         const std::string& type) {
        return ModuleNames::ofProcess().numberOf(model, name, type);
      },
      py::arg("model"), py::arg("module"), py::arg("module_type"),
      "Returns the number of a module, from 1. Equal names share a number.");
  module.def(
      "own_parameters",
      [](std::uint64_t model, const ParameterOwners::Owned& owned) {
        ParameterOwners::ofProcess().set(model, owned);
      },
      py::arg("model"), py::arg("parameters"),
      "Replaces the parameters of a model, as pairs with module numbers.");
  module.def(
      "disown_parameters",
      [](std::uint64_t model) { ParameterOwners::ofProcess().remove(model); },
      py::arg("model"), "Forgets the parameters of a model.");
}

}  // namespace

void bindModules(py::module_& module) {
  bindNames(module);
  module.def(
      "stamp_modules", &stampModules, py::arg("wanted"),
      "Enables or disables recording modules and phases with operations.");
  module.def("enter_forward", &enterForward, py::arg("module"),
             "Enters a module's forward. Returns a token for leave_module().");
  module.def(
      "enter_on_behalf", &enterOnBehalf, py::arg("module"),
      "Enters a module in the thread's current phase. Returns a token for "
      "leave_module().");
  module.def("enter_optimizer", &enterOptimizer,
             "Enters an optimizer step. Returns a token for leave_module().");
  module.def("leave_module", &leaveModule, py::arg("entered"),
             "Leaves an entry, and all later ones.");
  module.def("leave_forward", &leaveForward, py::arg("module"),
             "Leaves the latest forward of a module, and all later entries.");
  module.def("leave_all_modules", &leaveAllModules, "Leaves all entries.");
  module.def("running_module", &runningModule,
             "Returns the number of the innermost module, or 0.");
  module.def(
      "running_place",
      [] {
        const ModuleAndPhase place = runningPlace();
        return std::pair(place.module, static_cast<int>(place.phase));
      },
      "Returns the number of the module that the thread's operations belong "
      "to, or 0, and their phase (v1.Phase).");
  module.def("module_depth", &moduleDepth,
             "Returns the number of open entries.");
}

namespace {

// Prefixes of file names, and whether each is an installed package.
using Folders = std::vector<std::tuple<std::string, bool>>;

std::vector<CodeFolder> foldersOf(const Folders& named) {
  std::vector<CodeFolder> folders;
  for (const auto& [beginning, is_package] : named) {
    folders.push_back(
        {beginning, is_package ? CodeKind::kPackage : CodeKind::kLibrary});
  }
  return folders;
}

bool recordStacksOf(const std::string& mode, bool cpp, const Folders& named) {
  const StackMode python = mode == "full"   ? StackMode::kFull
                           : mode == "site" ? StackMode::kSite
                                            : StackMode::kOff;
  return recordStacks({python, cpp}, foldersOf(named));
}

using FrameText = std::tuple<std::string, std::string, std::uint32_t>;

// Starts reading the stacks of all threads, or ends it. Returns "", or why that
// is impossible.
std::string readThreadsOf(bool wanted, const Folders& named) {
  python_threads.store(nullptr);
  if (!wanted) return "";
  // Never destroyed, because the writer thread may use it. A forked child has
  // another main thread, and so another reader.
  static OtherThreads* reader = nullptr;
  static pid_t reader_of = 0;
  if (reader_of != getpid()) {
    auto created = OtherThreads::create(foldersOf(named));
    if (!created) return created.error().message;
    reader = created->release();
    reader_of = getpid();
  }
  python_threads.store(reader);
  return "";
}

// Reads the stack without the GIL, as in a collective.
py::tuple stackHere() {
  v1::Stack stack;
  {
    py::gil_scoped_release released;
    stack = pythonStack();
  }
  std::vector<FrameText> frames;
  for (const v1::Frame& frame : stack.frame()) {
    frames.emplace_back(frame.function(), frame.file(), frame.line());
  }
  return py::make_tuple(frames, stack.site(), stack.cut());
}

}  // namespace

void bindStacks(py::module_& module) {
  module.def(
      "record_stacks", &recordStacksOf, py::arg("mode"), py::arg("cpp"),
      py::arg("folders"),
      "Sets which stacks are recorded with operations from now on. `mode` is "
      "off, site or full. Returns False if this Python version's frames are "
      "unsupported.");
  module.def("read_threads", &readThreadsOf, py::arg("wanted"),
             py::arg("folders"),
             "Sets whether samples of threads contain their Python stacks. "
             "Returns \"\", or a reason why they cannot.");
  module.def("stack_here", &stackHere,
             "Returns the stack that an operation of this thread would get: "
             "the frames (function, file, line), innermost first, the number "
             "of the call site from 1, and the number of further frames.");
}

}  // namespace traced
