// TracedProcessGroup is the group that the traced spellings create.
//
// c10d finds a backend in two ways: by device, which is how every call is
// dispatched, and by type, which is how PyTorch asks for "the Gloo object" and
// casts it. So the device table holds the tracing wrappers, and the type table
// the real backends: dispatch meets the wrapper, everything else the stock
// object under its stock name.
//
// What goes by type passes the wrapper by; the overrides below see to it that
// the recorder hears of it.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "c10d/forwarding.h"
#include "c10d/traced_backend.h"
#include "recorder/recorder.h"

namespace traced {

class TracedProcessGroup : public c10d::ProcessGroup {
 public:
  using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

  // One backend and the devices it serves. `served` is what calls are
  // forwarded to: `real`, or something around it (TORCH_DISTRIBUTED_DEBUG).
  struct Leg {
    std::vector<c10::DeviceType> devices;
    BackendType type;
    BackendPtr real;
    BackendPtr served;
  };

  TracedProcessGroup(c10::intrusive_ptr<c10d::Store> store, int rank, int size,
                     Recorder& recorder);

  // `members` are global ranks in group rank order.
  void addLeg(const Leg& leg, const std::string& name,
              const std::vector<std::uint32_t>& members);

  void setGroupName(const std::string& name) override;
  void setGroupDesc(const std::string& desc) override;
  void shutdown() override;
  void abort() override;
  // Called when the last strong reference goes. The backends must go with it:
  // c10d's registry keeps weak references, and drops them with the GIL held,
  // which is no place to join Gloo's threads.
  void release_resources() override;
  c10::intrusive_ptr<c10d::ProcessGroup> splitGroup(
      TRACED_SPLIT_GROUP_PARAMETERS) override;

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> adopt(
      const c10::intrusive_ptr<c10d::ProcessGroup>& child,
      const std::vector<std::uint32_t>& members);
  void label();

  Recorder& recorder_;
  std::string name_;
  std::string desc_;
  std::vector<c10::intrusive_ptr<TracedBackend>> wrappers_;
};

}  // namespace traced
