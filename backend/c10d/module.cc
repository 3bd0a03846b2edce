// traced._C: the Python module. Private; users meet the typed package.

#include <torch/csrc/utils/pybind.h>

#include <map>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "c10d/traced_process_group.h"
#include "recorder/options.h"
#include "recorder/recorder.h"

namespace py = pybind11;

namespace traced {
namespace {

using Settings = std::map<std::string, std::string>;
using BackendPtr = TracedProcessGroup::BackendPtr;

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

c10::intrusive_ptr<c10d::ProcessGroup> makeProcessGroup(
    const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
    const std::string& name, const std::vector<std::uint32_t>& members,
    const std::vector<std::string>& devices,
    c10d::ProcessGroup::BackendType type, const BackendPtr& real,
    const BackendPtr& served) {
  Recorder* recorder = Recorder::current();
  TORCH_CHECK(recorder, "traced: recording was not started in this process");
  TracedProcessGroup::Leg leg;
  for (const std::string& device : devices) {
    leg.devices.push_back(c10::Device(device).type());
  }
  leg.type = type;
  leg.real = real;
  leg.served = served;
  auto group =
      c10::make_intrusive<TracedProcessGroup>(store, rank, size, *recorder);
  group->setDefaultBackend(type);
  group->addLeg(leg, name, members);
  return group;
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
  m.def("make_process_group", &traced::makeProcessGroup, py::arg("store"),
        py::arg("rank"), py::arg("size"), py::arg("name"), py::arg("members"),
        py::arg("devices"), py::arg("backend_type"), py::arg("real"),
        py::arg("served"),
        "A process group whose calls on the devices are recorded and handed to "
        "`served`; `real` is what is found by backend type.");
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
