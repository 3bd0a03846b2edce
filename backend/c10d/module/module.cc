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

#include "base/log_message.h"
#include "c10d/groups/attach.h"
#include "c10d/groups/nodes.h"
#include "c10d/module/bindings.h"
#include "c10d/wrapper/traced_backend.h"
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
  std::call_once(once, [&] {
    logMessage({reason, "; the job runs untraced"});
  });
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
  const auto textOf = [&rendezvous](const char* name) {
    const auto found = rendezvous.find(name);
    return found == rendezvous.end() ? std::string() : found->second;
  };
  process.rendezvous = {textOf("address"), port,
                        textOf("run_id"),  textOf("launcher"),
                        textOf("start"),   start_attempt};
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

bool flush(double timeout_s) {
  Recorder* recorder = Recorder::current();
  return recorder && recorder->flush(milliseconds(timeout_s));
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
             constexpr std::chrono::milliseconds kTimeout{2000};
             Recorder::stopCurrent(kTimeout, std::nullopt);
           }) == 0;
  }();
  static_cast<void>(asked);
}

// `at_ns`: absent for an event that happens now. `group`: what a call created,
// for its end; may be nullptr.
void functionEvent(std::uint64_t call, std::uint32_t event,
                   std::optional<std::int64_t> at_ns,
                   const std::string& function, c10d::ProcessGroup* group) {
  Recorder* recorder = Recorder::current();
  if (!recorder) return;
  FunctionRow row;
  row.at_ns = at_ns.value_or(nowNs());
  row.call = call;
  row.event = event;
  bool is_recorded = false;
  if (group) {
    forEachTraced(*group, [&](TracedBackend& backend) {
      backend.endCreation(row);
      is_recorded = true;
    });
  }
  if (!is_recorded) recorder->functionEvent(row, function.c_str());
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

std::optional<std::pair<py::bytes, bool>> recent(double timeout_s) {
  Recorder* recorder = Recorder::current();
  if (!recorder) return std::nullopt;
  std::pair<std::string, bool> content;
  {
    py::gil_scoped_release released;
    content = recorder->recent(milliseconds(timeout_s));
  }
  return std::pair(py::bytes(content.first), content.second);
}

std::optional<std::string> location() {
  const Recorder* recorder = Recorder::current();
  if (!recorder) return std::nullopt;
  return recorder->location();
}

// Returns "", or one sentence if the start failed.
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
  module.def(
      "watch", &watch, py::arg("seconds"),
      "Sets how long an operation issued from now on may take. 0: any time.");
  module.def("take_hang_report", &takeHangReport,
             "Blocks until the watch reports an operation. Returns None while "
             "closed.");
  module.def(
      "open_hang_reports", [] { Recorder::hangReports().open(); },
      "Lets take_hang_report() return reports.");
  module.def(
      "close_hang_reports", [] { Recorder::hangReports().close(); },
      "Makes take_hang_report() return None.");
}

void bindSinkQueue(py::module_& module) {
  py::class_<SinkQueue>(module, "SinkQueue",
                        "Passes chunks to a Python thread.")
      .def(py::init<const std::string&, std::size_t>(), py::arg("name"),
           py::arg("max_bytes"))
      .def(
          "open", [](const SinkQueue& self) { Recorder::addSink(self.sink); },
          "Receives all later chunks of this process.")
      .def(
          "close",
          [](const SinkQueue& self) {
            Recorder::removeSink(*self.sink);
            self.sink->close();
          },
          "Rejects further chunks.")
      .def("take", &SinkQueue::take,
           "Blocks until a chunk is available. Returns None if the queue is "
           "closed and empty.")
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
        "Returns the settings in force. A ValueError names the first invalid "
        "one.");
  m.def(
      "start_recording", &traced::startRecording, py::arg("settings"),
      py::arg("rank"), py::arg("world_size"), py::arg("attempt"),
      py::arg("versions"),
      py::arg("rendezvous") = std::map<std::string, std::string>(),
      py::arg("port") = 0, py::arg("start_attempt") = 0,
      "Starts the process's recorder, unless one of this rank, world size and "
      "attempt runs. Returns False, after one warning, on failure.");
  m.def(
      "start_keeper", &traced::startKeeperOf, py::arg("tracectl"),
      py::arg("has_stderr"), py::call_guard<py::gil_scoped_release>(),
      "Starts the job's keeper on this host, unless one runs. Returns \"\", or "
      "one sentence if the start failed.");
  m.def("connect_nccl_profiler", &traced::connectNcclProfiler,
        py::arg("library"), py::call_guard<py::gil_scoped_release>(),
        "Loads the library that NCCL will load, and connects it to the "
        "recorder. Returns \"\" on success, otherwise the reason.");
  m.def("attach", &traced::attachTo, py::arg("group"), py::arg("devices"),
        py::arg("members"),
        "Wraps the group's backends for these devices, and those split off "
        "traced backends. `devices` maps a device to torch's name of its "
        "backend. Returns the number of traced backends; 0 if nothing is "
        "recorded.");
  m.def("publish_node", &traced::publishOwnNode, py::arg("settings"),
        py::arg("store"), py::arg("job"), py::arg("rank"),
        py::call_guard<py::gil_scoped_release>(),
        "Publishes the node of this rank in the job's store.");
  m.def(
      "place",
      [](c10d::ProcessGroup& group, const traced::StorePtr& store,
         std::uint64_t job) {
        traced::decideScope(group, {store, job});
      },
      py::arg("group"), py::arg("store"), py::arg("job"),
      py::call_guard<py::gil_scoped_release>(),
      "Applies TRACED_SCOPE to a group, as far as the store has the nodes of "
      "its members. Does not wait for other ranks.");
  m.def("set_enabled", &traced::Recorder::setEnabled, py::arg("enabled"),
        "Enables or disables recording operations from now on.");
  m.def(
      "step", &traced::step, py::arg("number"),
      "Marks the begin of a training step. None: its number cannot be stored.");
  m.def("function_event", &traced::functionEvent, py::arg("call"),
        py::arg("event"), py::arg("at_ns") = py::none(),
        py::arg("function") = "", py::arg("group") = py::none(),
        "Records an event in a function of torch.distributed; see FunctionRows "
        "in trace.proto.");
  traced::readPythonErrors();
  traced::bindContext(m);
  traced::bindModules(m);
  traced::bindOperations(m);
  traced::bindStacks(m);
  traced::bindProgramTimes(m);
  traced::bindValues(m);
  traced::bindFacade(m);
  traced::bindSinkQueue(m);
  traced::bindWatch(m);
  traced::bindMetrics(m);
  m.def("flush", &traced::flush, py::arg("deadline"),
        py::call_guard<py::gil_scoped_release>(),
        "Blocks until all records are in the file, for at most `deadline` "
        "seconds. Returns False if that time passed, if the file rejected a "
        "record, or if nothing is recorded.");
  m.def(
      "recent", &traced::recent, py::arg("deadline"),
      "Returns the latest records as the content of a trace file, and whether "
      "they are complete. None if nothing is recorded. Waits for at most "
      "`deadline` seconds.");
  m.def(
      "aborting",
      [](c10d::ProcessGroup& group) {
        traced::markGroup(group, traced::MarkKind::kAbort, "");
      },
      py::arg("group"), py::call_guard<py::gil_scoped_release>(),
      "Marks that the group is about to be aborted.");
  m.def(
      "shutdown_failed",
      [](c10d::ProcessGroup& group, const std::string& message) {
        traced::markGroup(group, traced::MarkKind::kShutdownFailed,
                          message.c_str());
      },
      py::arg("group"), py::arg("message"),
      py::call_guard<py::gil_scoped_release>(),
      "Marks that shutting down or aborting the group failed.");
  m.def("uncaught_exception", &traced::uncaughtException, py::arg("text"),
        py::arg("ends_process"), py::call_guard<py::gil_scoped_release>(),
        "Records an uncaught exception, and waits briefly for the file.");
  m.def("stop_recording", &traced::stopRecording, py::arg("timeout"),
        py::arg("exit_code") = py::none(),
        py::call_guard<py::gil_scoped_release>(),
        "Writes the remaining records and stops recording, for at most "
        "`timeout` seconds. `exit_code`: the process's, if known.");
  m.def("location", &traced::location,
        "Returns the trace file of this process. None if nothing is recorded.");
}
