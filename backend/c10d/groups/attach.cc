#include "c10d/groups/attach.h"

#include <c10/util/Type.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <map>
#include <set>
#include <typeinfo>

#include "c10d/groups/torch_cuda_events.h"
#include "c10d/wrapper/lineage.h"
#include "c10d/wrapper/traced_backend.h"

namespace py = pybind11;

namespace traced {
namespace {

constexpr const char* kOfTorch = "c10d::";
// torch's class for backends written in Python, and its wrapper that checks
// calls.
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
  } catch (...) {  // c10d's default throws if a class has no name
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

namespace {

using BackendPtr = c10::intrusive_ptr<c10d::Backend>;
using Members = std::vector<std::uint32_t>;

// Gives access to the protected device table of a group.
struct Tables : c10d::ProcessGroup {
  static auto& byDevice(c10d::ProcessGroup& group) {
    return group.*(&Tables::deviceTypeToBackend_);
  }
};

// Returns the backends in a fixed order of devices, because the first device
// names the leg on every rank.
std::map<c10::DeviceType, BackendPtr> sortedByDevice(
    c10d::ProcessGroup& group) {
  const auto& table = Tables::byDevice(group);
  return {table.begin(), table.end()};
}

GroupInfo describeGroup(const c10d::ProcessGroup& group,
                        const BackendPtr& backend, const std::string& known_as,
                        c10::DeviceType device, Members members) {
  GroupInfo info;
  info.name = backend->getGroupUid();
  info.desc = group.getGroupDesc();
  info.backend = backendName(*backend, known_as);
  info.backend_class = foreignClass(backend);
  info.leg = c10::DeviceTypeName(device, /*lower_case=*/true);
  info.members = std::move(members);
  info.group_rank = static_cast<std::uint32_t>(group.getRank());
  return info;
}

// Returns nullptr for Gloo, because its own threads execute operations on CUDA
// tensors.
TracedBackend::MakeEvents eventsOf(const GroupInfo& info,
                                   c10::DeviceType device) {
  const bool on_streams =
      device == c10::DeviceType::CUDA && info.engine().on_streams;
  return on_streams ? &torchCudaEvents : nullptr;
}

bool servesOnlyCpu(c10d::ProcessGroup& group, const BackendPtr& backend) {
  const auto& table = Tables::byDevice(group);
  return std::all_of(table.begin(), table.end(), [&](const auto& entry) {
    return entry.second != backend || entry.first == c10::DeviceType::CPU;
  });
}

}  // namespace

int attach(c10d::ProcessGroup& group, Recorder& recorder,
           const std::map<c10::DeviceType, std::string>& devices,
           const Members& members) {
  std::map<BackendPtr::element_type*, c10::intrusive_ptr<TracedBackend>> made;
  int traced = 0;
  for (const auto& [device, backend] : sortedByDevice(group)) {
    if (dynamic_cast<const TracedBackend*>(backend.get())) {
      ++traced;
      continue;
    }
    auto& wrapper = made[backend.get()];
    if (!wrapper) {
      const auto inherited = takeChild(backend);
      const auto wanted = devices.find(device);
      if (!inherited && wanted == devices.end()) continue;
      const Members& ranks = inherited ? *inherited : members;
      if (ranks.size() != static_cast<std::size_t>(group.getSize())) continue;
      GroupInfo info = describeGroup(
          group, backend, wanted == devices.end() ? "" : wanted->second, device,
          ranks);
      const auto make_events = eventsOf(info, device);
      wrapper = c10::make_intrusive<TracedBackend>(
          backend, recorder, recorder.addGroup(std::move(info)), make_events,
          servesOnlyCpu(group, backend));
      ++traced;
    }
    Tables::byDevice(group)[device] = wrapper;
  }
  return traced;
}

void forEachTraced(c10d::ProcessGroup& group,
                   const std::function<void(TracedBackend&)>& visit) {
  std::set<TracedBackend*> visited;  // a backend may serve several devices
  for (const auto& [device, backend] : sortedByDevice(group)) {
    auto* traced = dynamic_cast<TracedBackend*>(backend.get());
    if (traced && visited.insert(traced).second) visit(*traced);
  }
}

void markGroup(c10d::ProcessGroup& group, MarkKind kind, const char* message) {
  forEachTraced(group, [&](TracedBackend& backend) {
    backend.markAndFlush(kind, message);
  });
}

}  // namespace traced
