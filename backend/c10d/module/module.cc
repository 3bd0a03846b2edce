// The Python module traced._C. Private: users import the typed package.

#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/say.h"
#include "c10d/groups/attach.h"
#include "c10d/groups/nodes.h"
#include "c10d/module/bindings.h"
#include "recorder/recorder.h"
#include "recorder/watch/hang_reports.h"
#include "ring_io/keeper/start_keeper.h"
#include "ring_io/settings/options.h"
#include "ring_io/settings/process_info.h"
#include "ring_io/sinks/memory_sinks.h"

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

// Warns once per process, because every group of a job fails for the same
// reason.
void warnUntraced(const std::string& reason) {
  static std::once_flag once;
  std::call_once(once, [&] { say({reason, "; the job runs untraced"}); });
}

bool startRecording(const Settings& settings, std::uint32_t rank,
                    std::uint32_t world_size, std::uint32_t attempt,
                    const std::map<std::string, std::string>& versions,
                    const std::map<std::string, std::string>& rendezvous,
                    std::uint32_t port, std::uint32_t start_attempt) {
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
  const auto told = [&rendezvous](const char* name) {
    const auto found = rendezvous.find(name);
    return found == rendezvous.end() ? std::string() : found->second;
  };
  process.rendezvous = {told("address"),  port,          told("run_id"),
                        told("launcher"), told("start"), start_attempt};
  const auto recorder = Recorder::start(optionsFrom(settings), process);
  if (!recorder) warnUntraced(recorder.error().message);
  return recorder.ok();
}

int attachTo(c10d::ProcessGroup& group,
             const std::map<std::string, std::string>& devices,
             const std::vector<std::uint32_t>& members) {
  Recorder* recorder = Recorder::current();
  if (!recorder) return 0;
  std::map<c10::DeviceType, std::string> types;
  for (const auto& [device, backend] : devices) {
    types[c10::Device(device).type()] = backend;
  }
  return attach(group, *recorder, types, members);
}

using StorePtr = c10::intrusive_ptr<c10d::Store>;

void publishOwnNode(const Settings& settings, const StorePtr& store,
                    std::uint64_t job, std::uint32_t rank) {
  const std::string node = nodeName(optionsFrom(settings).node, readHostInfo());
  if (!node.empty()) publishNode({store, job}, rank, node);
}

void step(std::optional<std::uint64_t> number) {
  Recorder* recorder = Recorder::current();
  if (!recorder) return;
  recorder->mark(number ? MarkKind::kStep : MarkKind::kNoStep,
                 number.value_or(0));
}

// Accepts any number. Negative ones count as 0, and the maximum is a year.
std::chrono::milliseconds milliseconds(double seconds) {
  constexpr double kMax = 365.0 * 24 * 3600;
  const double bounded = seconds > 0 ? std::min(seconds, kMax) : 0;
  return std::chrono::milliseconds(static_cast<std::int64_t>(bounded * 1000));
}

bool flush(double deadline_s) {
  Recorder* recorder = Recorder::current();
  return recorder && recorder->flush(milliseconds(deadline_s));
}

void stopRecording(double timeout_s, std::optional<int> exit_code) {
  Recorder::stopCurrent(milliseconds(timeout_s), exit_code);
}

// Also stops recording at the end of the interpreter. After a
// KeyboardInterrupt, Python kills the process with SIGINT once the interpreter
// has ended. Handlers of exit() then do not run, but those of Py_AtExit do,
// last of all. The exit code is unknown there.
void endWithInterpreter() {
  static const bool asked = [] {
    const py::gil_scoped_acquire held;
    return Py_AtExit([] {
             constexpr std::chrono::milliseconds kDeadline{2000};
             Recorder::stopCurrent(kDeadline, std::nullopt);
           }) == 0;
  }();
  static_cast<void>(asked);
}

// Waits briefly for the file, because the process may exit right after an
// exception that ends it.
void uncaughtException(const std::string& text, bool ends_process) {
  constexpr std::chrono::milliseconds kPatience{100};
  Recorder* recorder = Recorder::current();
  if (!recorder) return;
  recorder->mark(MarkKind::kException, ends_process ? 0 : 1, text.c_str());
  recorder->flush(kPatience);
  if (ends_process && text.starts_with("KeyboardInterrupt")) {
    endWithInterpreter();
  }
}

std::optional<std::pair<py::bytes, bool>> recent(double deadline_s) {
  Recorder* recorder = Recorder::current();
  if (!recorder) return std::nullopt;
  std::pair<std::string, bool> content;
  {
    py::gil_scoped_release released;
    content = recorder->recent(milliseconds(deadline_s));
  }
  return std::pair(py::bytes(content.first), content.second);
}

std::optional<std::string> location() {
  const Recorder* recorder = Recorder::current();
  if (!recorder) return std::nullopt;
  return recorder->location();
}

// Returns "", or a sentence that explains why no keeper runs.
std::string startKeeperOf(const std::string& program, bool has_stderr) {
  const Recorder* recorder = Recorder::current();
  if (!recorder) return "";
  return startKeeper({program, recorder->ringPath(), has_stderr});
}

// SinkQueue is the Python handle of a queue. The queue is destroyed only after
// its thread has left it. A fork leaves that thread behind, and then the queue
// is never destroyed.
struct SinkQueue {
  SinkQueue(const std::string& name, std::size_t max_bytes)
      : sink(std::make_shared<QueueSink>(name, max_bytes)) {
    kept().insert(sink);
  }
  std::optional<py::bytes> take() const {
    std::optional<std::string> chunk;
    {
      py::gil_scoped_release released;
      chunk = sink->take();
    }
    if (chunk) return py::bytes(*chunk);
    kept().erase(sink);
    return std::nullopt;
  }

  // Requires the GIL.
  static std::set<std::shared_ptr<QueueSink>>& kept() {
    static auto* const sinks = new std::set<std::shared_ptr<QueueSink>>;
    return *sinks;
  }

  std::shared_ptr<QueueSink> sink;
};

// Blocks until the watch reports an operation. Returns None when closed. Finds
// the queue anew in each call, because a forked child has its own.
std::optional<py::dict> takeHangReport() {
  std::optional<HangReport> report;
  {
    py::gil_scoped_release released;
    report = Recorder::hangReports().take();
  }
  if (!report) return std::nullopt;
  py::dict dict;
  dict["state"] = nameOf(report->state);
  dict["op"] = report->operation;
  dict["op_id"] = report->op;
  dict["group_name"] = report->group_name;
  dict["group_desc"] = report->group_desc;
  if (report->seq > 0) dict["seq"] = report->seq;
  if (report->peer >= 0) dict["peer_global"] = report->peer;
  dict["bytes"] = report->bytes;
  dict["issue_ns"] = report->issue_ns;
  dict["seconds"] = static_cast<double>(report->took_ns) / 1e9;
  return dict;
}

void watch(double seconds) {
  Recorder* recorder = Recorder::current();
  if (!recorder) return;
  recorder->watch(static_cast<std::int64_t>(seconds * 1e9));
}

void bindWatch(py::module_& module) {
  module.def("watch", &watch, py::arg("seconds"),
             "How long an operation issued from now on may take; 0: any time.");
  module.def("take_hang_report", &takeHangReport,
             "Waits for what the watch finds; None when nothing more is "
             "wanted.");
  module.def(
      "open_hang_reports", [] { Recorder::hangReports().open(); },
      "Lets them be taken.");
  module.def(
      "close_hang_reports", [] { Recorder::hangReports().close(); },
      "Lets who waits for them go.");
}

void bindSinkQueue(py::module_& module) {
  py::class_<SinkQueue>(module, "SinkQueue",
                        "Chunks on their way to a thread of Python's.")
      .def(py::init<const std::string&, std::size_t>(), py::arg("name"),
           py::arg("max_bytes"))
      .def(
          "open", [](const SinkQueue& self) { Recorder::addSink(self.sink); },
          "Gets the chunks of this process from now on.")
      .def(
          "close",
          [](const SinkQueue& self) {
            Recorder::removeSink(*self.sink);
            self.sink->close();
          },
          "Gets no more chunks.")
      .def("take", &SinkQueue::take,
           "Waits for a chunk; None when the queue is closed and empty.")
      .def_property_readonly(
          "dropped_chunks",
          [](const SinkQueue& self) { return self.sink->droppedChunks(); })
      .def_property_readonly("dropped_records", [](const SinkQueue& self) {
        return self.sink->droppedRecords();
      });
}

}  // namespace
}  // namespace traced

PYBIND11_MODULE(_C, m) {
  m.doc() = "The recorder and the c10d backend of traced.";
  m.attr("torch_version") = TRACED_TORCH_VERSION;
  if (py::module_::import("sys").attr("__stderr__").is_none()) {
    traced::forgetStderr();
  }
  m.def("check_settings", &traced::checkSettings, py::arg("settings"),
        "The settings in force; ValueError names the first bad one.");
  m.def("start_recording", &traced::startRecording, py::arg("settings"),
        py::arg("rank"), py::arg("world_size"), py::arg("attempt"),
        py::arg("versions"),
        py::arg("rendezvous") = std::map<std::string, std::string>(),
        py::arg("port") = 0, py::arg("start_attempt") = 0,
        "Starts the process's recorder if there is none, or none of this rank "
        "and world size. False, after one warning, if it cannot record.");
  m.def("start_keeper", &traced::startKeeperOf, py::arg("tracectl"),
        py::arg("has_stderr"), py::call_guard<py::gil_scoped_release>(),
        "Starts a process that saves what this one leaves if it is killed, "
        "unless the job has one on this host. A sentence if it cannot.");
  m.def("connect_nccl_profiler", &traced::connectNcclProfiler,
        py::arg("library"), py::call_guard<py::gil_scoped_release>(),
        "Loads the library that NCCL is to load, and gives it the recorder. A "
        "sentence if it cannot.");
  m.def("attach", &traced::attachTo, py::arg("group"), py::arg("devices"),
        py::arg("members"),
        "Puts tracing wrappers around the group's backends for the devices, "
        "which come with the names that torch knows them by, and around those "
        "that traced backends gave birth to. Returns how many devices are "
        "traced now, 0 if this process does not record.");
  m.def("publish_node", &traced::publishOwnNode, py::arg("settings"),
        py::arg("store"), py::arg("job"), py::arg("rank"),
        py::call_guard<py::gil_scoped_release>(),
        "Says in the job's store on which node this rank is.");
  m.def(
      "place",
      [](c10d::ProcessGroup& group, const traced::StorePtr& store,
         std::uint64_t job) {
        traced::decideScope(group, {store, job});
      },
      py::arg("group"), py::arg("store"), py::arg("job"),
      py::call_guard<py::gil_scoped_release>(),
      "Decides what TRACED_SCOPE leaves out of a group, as far as the store "
      "has the nodes of its members by now. Waits for nobody.");
  m.def("set_enabled", &traced::Recorder::setEnabled, py::arg("enabled"),
        "Whether operations are recorded from now on.");
  m.def("step", &traced::step, py::arg("number"),
        "A training step begins; None: one without a number.");
  traced::readPythonErrors();
  traced::bindContext(m);
  traced::bindModules(m);
  traced::bindStacks(m);
  traced::bindFacade(m);
  traced::bindSinkQueue(m);
  traced::bindWatch(m);
  traced::bindMetrics(m);
  m.def("flush", &traced::flush, py::arg("deadline"),
        py::call_guard<py::gil_scoped_release>(),
        "Waits until all that was recorded is in the file; False if the "
        "deadline, seconds from now, passed first, if the file refused any of "
        "it, or if nothing is recorded.");
  m.def("recent", &traced::recent, py::arg("deadline"),
        "What was recorded lately, as the content of a trace file, and whether "
        "the latest is in it; None if nothing is recorded.");
  m.def(
      "aborting",
      [](c10d::ProcessGroup& group) {
        traced::markGroup(group, traced::MarkKind::kAbort, "");
      },
      py::arg("group"), py::call_guard<py::gil_scoped_release>(),
      "The group is about to be aborted.");
  m.def(
      "shutdown_failed",
      [](c10d::ProcessGroup& group, const std::string& message) {
        traced::markGroup(group, traced::MarkKind::kShutdownFailed,
                          message.c_str());
      },
      py::arg("group"), py::arg("message"),
      py::call_guard<py::gil_scoped_release>(),
      "Shutting down or aborting the group failed.");
  m.def("uncaught_exception", &traced::uncaughtException, py::arg("text"),
        py::arg("ends_process"), py::call_guard<py::gil_scoped_release>(),
        "Nobody caught an exception: it is in the file soon.");
  m.def("stop_recording", &traced::stopRecording, py::arg("timeout"),
        py::arg("exit_code") = py::none(),
        py::call_guard<py::gil_scoped_release>(),
        "Writes what is left and ends recording in this process, which is "
        "about to end with this exit code, if it is known.");
  m.def("location", &traced::location,
        "The trace file of this process; None if nothing is recorded.");
}
