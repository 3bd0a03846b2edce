#include "c10d/bind_stacks.h"

#include <string>
#include <tuple>
#include <vector>

#include "c10d/python_stacks.h"

namespace py = pybind11;

namespace traced {
namespace {

bool recordStacks(const std::string& mode,
                  const std::vector<std::string>& libraries) {
  const StackMode wanted = mode == "full"   ? StackMode::kFull
                           : mode == "site" ? StackMode::kSite
                                            : StackMode::kOff;
  return recordPythonStacks(wanted, libraries);
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
      "record_stacks", &recordStacks, py::arg("mode"), py::arg("libraries"),
      "Operations are stamped with their call site, the full stack or (off) "
      "neither, from now on. False if this Python's frames are not known.");
  module.def("stack_here", &stackHere,
             "What an operation of this thread would be stamped with: frames "
             "(function, file, line), the innermost first; which of them is "
             "the call site, from 1; how many more there are.");
}

}  // namespace traced
