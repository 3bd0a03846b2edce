#include "c10d/attach.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/engine_traits.h"
#include "c10d/lineage.h"
#include "c10d/torch_cuda_events.h"
#include "c10d/traced_backend.h"

namespace traced {
namespace {

using BackendPtr = c10::intrusive_ptr<c10d::Backend>;
using Members = std::vector<std::uint32_t>;

// Names the protected table of a group that c10d made.
struct Tables : c10d::ProcessGroup {
  static auto& byDevice(c10d::ProcessGroup& group) {
    return group.*(&Tables::deviceTypeToBackend_);
  }
};

// The devices in a fixed order: the first names the leg, on every rank.
std::map<c10::DeviceType, BackendPtr> sortedByDevice(
    c10d::ProcessGroup& group) {
  const auto& table = Tables::byDevice(group);
  return {table.begin(), table.end()};
}

GroupInfo describeGroup(const c10d::ProcessGroup& group,
                        const c10d::Backend& backend, c10::DeviceType device,
                        Members members) {
  GroupInfo info;
  info.name = backend.getGroupUid();
  info.desc = group.getGroupDesc();
  info.backend = backend.getBackendName();
  info.leg = c10::DeviceTypeName(device, /*lower_case=*/true);
  info.members = std::move(members);
  info.group_rank = static_cast<std::uint32_t>(group.getRank());
  return info;
}

// Gloo's operations on CUDA tensors are the business of its own threads.
TracedBackend::MakeEvents eventsOf(const c10d::Backend& backend,
                                   c10::DeviceType device) {
  const bool on_streams = device == c10::DeviceType::CUDA &&
                          engineTraits(backend.getBackendName()).on_streams;
  return on_streams ? &torchCudaEvents : nullptr;
}

}  // namespace

int attach(c10d::ProcessGroup& group, Recorder& recorder,
           const std::vector<c10::DeviceType>& devices,
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
      const bool wanted =
          std::find(devices.begin(), devices.end(), device) != devices.end();
      if (!inherited && !wanted) continue;
      const Members& ranks = inherited ? *inherited : members;
      if (ranks.size() != static_cast<std::size_t>(group.getSize())) continue;
      wrapper = c10::make_intrusive<TracedBackend>(
          backend, recorder,
          recorder.addGroup(describeGroup(group, *backend, device, ranks)),
          eventsOf(*backend, device));
      ++traced;
    }
    Tables::byDevice(group)[device] = wrapper;
  }
  return traced;
}

void forEachTraced(c10d::ProcessGroup& group,
                   const std::function<void(TracedBackend&)>& visit) {
  std::set<TracedBackend*> visited;  // one may serve several devices
  for (const auto& [device, backend] : sortedByDevice(group)) {
    auto* traced = dynamic_cast<TracedBackend*>(backend.get());
    if (traced && visited.insert(traced).second) visit(*traced);
  }
}

void tell(c10d::ProcessGroup& group, MarkKind kind, const char* message) {
  forEachTraced(group,
                [&](TracedBackend& backend) { backend.tell(kind, message); });
}

}  // namespace traced
