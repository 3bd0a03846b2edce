// traced._C: the Python module. Private; users meet the typed package.

#include <torch/csrc/utils/pybind.h>

#include <map>
#include <optional>
#include <string>

#include "c10d/attach.h"
#include "c10d/facade.h"
#include "recorder/options.h"
#include "recorder/recorder.h"

namespace py = pybind11;

namespace traced {
namespace {

using Settings = std::map<std::string, std::string>;

Options optionsFrom(const Settings& settings) {
  const auto options =
      parseOptions([&](const std::string& name) -> std::optional<std::string> {
        const auto found = settings.find(name);
        if (found == settings.end()) return std::nullopt;
        return found->second;
      });
  if (!options) throw py::value_error(options.error().message);
  return *options;
}

Settings checkSettings(const Settings& settings) {
  return optionsFrom(settings).asSettings();
}

// One warning per process: every group of a job meets the same obstacle.
void warnUntraced(const std::string& reason) {
  static std::once_flag once;
  std::call_once(once, [&] {
    std::fprintf(stderr, "traced: %s; the job runs untraced\n", reason.c_str());
  });
}

bool startRecording(const Settings& settings, std::uint32_t rank,
                    std::uint32_t world_size, std::uint32_t attempt,
                    const std::map<std::string, std::string>& versions) {
  ProcessIdentity process;
  process.rank = rank;
  process.world_size = world_size;
  process.attempt = attempt;
  for (const auto& [name, version] : versions) {
    if (name == "traced") {
      process.traced_version = version;
    } else if (name == "torch") {
      process.torch_version = version;
    } else if (name == "python") {
      process.python_version = version;
    } else {
      process.library_versions[name] = version;
    }
  }
  const auto recorder = Recorder::start(optionsFrom(settings), process);
  if (!recorder) warnUntraced(recorder.error().message);
  return recorder.ok();
}

int attachTo(c10d::ProcessGroup& group, const std::vector<std::string>& devices,
             const std::vector<std::uint32_t>& members) {
  Recorder* recorder = Recorder::current();
  if (!recorder) return 0;
  std::vector<c10::DeviceType> types;
  for (const std::string& device : devices) {
    types.push_back(c10::Device(device).type());
  }
  return attach(group, *recorder, types, members);
}

void step(std::uint64_t number) {
  Recorder* recorder = Recorder::current();
  if (recorder) recorder->mark(MarkKind::kStep, number);
}

bool flush(double timeout_s) {
  Recorder* recorder = Recorder::current();
  return recorder && recorder->flush(std::chrono::milliseconds(
                         static_cast<std::int64_t>(timeout_s * 1000)));
}

std::optional<std::string> location() {
  const Recorder* recorder = Recorder::current();
  if (!recorder) return std::nullopt;
  return recorder->location();
}

}  // namespace
}  // namespace traced

PYBIND11_MODULE(_C, m) {
  m.doc() = "The recorder and the c10d backend of traced.";
  m.attr("torch_version") = TRACED_TORCH_VERSION;
  m.def("check_settings", &traced::checkSettings, py::arg("settings"),
        "The settings in force; ValueError names the first bad one.");
  m.def("start_recording", &traced::startRecording, py::arg("settings"),
        py::arg("rank"), py::arg("world_size"), py::arg("attempt"),
        py::arg("versions"),
        "Starts the process's recorder if there is none. False, after one "
        "warning, if it cannot record.");
  m.def("attach", &traced::attachTo, py::arg("group"), py::arg("devices"),
        py::arg("members"),
        "Puts tracing wrappers around the group's backends for the devices, "
        "and around those that traced backends gave birth to. Returns how many "
        "devices are traced now, 0 if this process does not record.");
  m.def("set_enabled", &traced::Recorder::setEnabled, py::arg("enabled"),
        "Whether operations are recorded from now on.");
  m.def("step", &traced::step, py::arg("number"), "A training step begins.");
  traced::bindFacade(m);
  m.def("flush", &traced::flush, py::arg("timeout"),
        py::call_guard<py::gil_scoped_release>(),
        "Waits until all that was recorded is in the file; False if the "
        "timeout in seconds passed first, or nothing is recorded.");
  m.def(
      "stop_recording",
      [](double timeout_s) {
        traced::Recorder::stopCurrent(std::chrono::milliseconds(
            static_cast<std::int64_t>(timeout_s * 1000)));
      },
      py::arg("timeout"), py::call_guard<py::gil_scoped_release>(),
      "Writes what is left and ends recording in this process.");
  m.def("location", &traced::location,
        "The trace file of this process; None if nothing is recorded.");
}
