// Puts the tracing wrappers into a group that torch has made.
//
// c10d finds a backend in two ways: by device, which is how every call is
// dispatched, and by type, which is how PyTorch asks for "the Gloo object" and
// casts it. So only the device table is given wrappers: dispatch meets them,
// everything else the stock object under its stock name. What goes by type
// (shutdown, abort, sequence numbers, hooks) passes the wrapper by.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "recorder/recorder.h"

namespace traced {

// What it calls itself, or `known_as` where it tells no name.
std::string backendName(const c10d::Backend& backend,
                        const std::string& known_as);

// The class that carries operations out, of C++ or Python: "acme::Backend",
// "acme.AcmeBackend". "" where it is torch's own, or torch's checks around such
// a one. Needs the GIL.
std::string foreignClass(const c10::intrusive_ptr<c10d::Backend>& backend);

class TracedBackend;

// Wraps the backends that serve `devices`, and those that a traced backend gave
// birth to; a backend that is wrapped already stays as it is. `devices` has the
// name that torch knows each backend by. `members` are global ranks in group
// rank order; empty when they are known for children only. Returns how many
// backends are traced now. Holds the GIL.
int attach(c10d::ProcessGroup& group, Recorder& recorder,
           const std::map<c10::DeviceType, std::string>& devices,
           const std::vector<std::uint32_t>& members);

// Visits each of the group's traced backends once.
void forEachTraced(c10d::ProcessGroup& group,
                   const std::function<void(TracedBackend&)>& visit);

// Marks what is being done to a group, or has failed, in the traces of its
// backends: what goes by type does not meet them.
void tell(c10d::ProcessGroup& group, MarkKind kind, const char* message);

}  // namespace traced
