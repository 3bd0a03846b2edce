#include "c10d/module/bind_stacks.h"

#include <string>
#include <tuple>
#include <vector>

#include "c10d/program/program_stacks.h"

namespace py = pybind11;

namespace traced {
namespace {

// What file names begin with, and whether that is an installed package.
using Folders = std::vector<std::tuple<std::string, bool>>;

bool recordStacksOf(const std::string& mode, bool cpp, const Folders& named) {
  const StackMode python = mode == "full"   ? StackMode::kFull
                           : mode == "site" ? StackMode::kSite
                                            : StackMode::kOff;
  std::vector<CodeFolder> folders;
  for (const auto& [beginning, is_package] : named) {
    folders.push_back(
        {beginning, is_package ? CodeKind::kPackage : CodeKind::kLibrary});
  }
  return recordStacks({python, cpp}, folders);
}

using FrameText = std::tuple<std::string, std::string, std::uint32_t>;

// Without the GIL, as in a collective.
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
      "Operations are stamped with their call site, the full stack or (off) "
      "neither, and with their C++ stack, from now on. False if this Python's "
      "frames are not known.");
  module.def("stack_here", &stackHere,
             "What an operation of this thread would be stamped with: frames "
             "(function, file, line), the innermost first; which of them is "
             "the call site, from 1; how many more there are.");
}

}  // namespace traced
