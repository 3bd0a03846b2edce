#include "c10d/traced_process_group.h"

#include <map>
#include <optional>

namespace traced {
namespace {

constexpr std::chrono::milliseconds kFlushDeadline{2000};

// Reads the protected tables of a group that c10d made.
struct Tables : c10d::ProcessGroup {
  static const auto& deviceTypes(const c10d::ProcessGroup& group) {
    return group.*(&Tables::deviceTypeToBackendType_);
  }
};

}  // namespace

TracedProcessGroup::TracedProcessGroup(c10::intrusive_ptr<c10d::Store> store,
                                       int rank, int size, Recorder& recorder)
    : ProcessGroup(std::move(store), rank, size), recorder_(recorder) {}

void TracedProcessGroup::addLeg(const Leg& leg, const std::string& name,
                                const std::vector<std::uint32_t>& members) {
  GroupInfo info;
  info.name = name;
  info.backend = leg.real->getBackendName();
  info.leg = c10::DeviceTypeName(leg.devices.front(), /*lower_case=*/true);
  info.members = members;
  info.group_rank = static_cast<std::uint32_t>(rank_);
  auto wrapper = c10::make_intrusive<TracedBackend>(
      leg.served, recorder_, recorder_.addGroup(std::move(info)));
  wrappers_.push_back(wrapper);
  // First the real backend fills both tables, then the wrapper takes its place
  // in the device table.
  for (const c10::DeviceType device : leg.devices) {
    setBackend(device, leg.type, leg.real);
    deviceTypeToBackend_[device] = wrapper;
  }
}

void TracedProcessGroup::setGroupName(const std::string& name) {
  ProcessGroup::setGroupName(name);
  name_ = name;
  label();
}

void TracedProcessGroup::setGroupDesc(const std::string& desc) {
  ProcessGroup::setGroupDesc(desc);
  // The base class told the wrappers only, and the setter is not virtual.
  for (const auto& [type, real] : backendTypeToBackend_) {
    real->setGroupDesc(desc);
  }
  desc_ = desc;
  label();
}

void TracedProcessGroup::label() {
  for (const auto& wrapper : wrappers_) {
    wrapper->group().setLabels(name_, desc_);
  }
}

void TracedProcessGroup::shutdown() {
  ProcessGroup::shutdown();
  if (Recorder::current() == &recorder_) recorder_.flush(kFlushDeadline);
}

void TracedProcessGroup::abort() {
  if (Recorder::current() == &recorder_) recorder_.flush(kFlushDeadline);
  ProcessGroup::abort();
}

void TracedProcessGroup::release_resources() {
  ProcessGroup::release_resources();
  wrappers_.clear();
}

c10::intrusive_ptr<c10d::ProcessGroup> TracedProcessGroup::splitGroup(
    TRACED_SPLIT_GROUP_PARAMETERS) {
  const auto child = ProcessGroup::splitGroup(TRACED_SPLIT_GROUP_ARGUMENTS);
  if (!child) return child;
  const std::vector<std::uint32_t>& own =
      wrappers_.front()->group().info().members;
  std::vector<std::uint32_t> members;
  for (const int rank : ranks) {
    members.push_back(own.at(static_cast<std::size_t>(rank)));
  }
  return adopt(child, members);
}

c10::intrusive_ptr<c10d::ProcessGroup> TracedProcessGroup::adopt(
    const c10::intrusive_ptr<c10d::ProcessGroup>& child,
    const std::vector<std::uint32_t>& members) {
  auto traced = c10::make_intrusive<TracedProcessGroup>(
      child->getStore(), child->getRank(), child->getSize(), recorder_);
  std::map<BackendType, Leg> legs;
  for (const auto& [device, type] : Tables::deviceTypes(*child)) {
    Leg& leg = legs[type];
    leg.devices.push_back(device);
    leg.type = type;
    leg.real = leg.served = child->getBackend(type);
  }
  traced->setDefaultBackend(child->getBackendType());
  if (const auto bound = child->getBoundDeviceId()) {
    traced->setBoundDeviceId(bound);
  }
  for (const auto& [type, leg] : legs) {
    traced->addLeg(leg, child->getGroupName(), members);
  }
  traced->setGroupName(child->getGroupName());
  traced->setGroupDesc(child->getGroupDesc());
  return traced;
}

}  // namespace traced
