// Installs the tracing wrappers in a process group that torch has created.
//
// c10d finds a backend by device to dispatch calls, and by type when PyTorch
// needs a concrete object, such as Gloo's. Only the device table gets wrappers:
// dispatch reaches them, and lookups by type return the original object. Calls
// made by type (shutdown, abort, sequence numbers, hooks) therefore bypass the
// wrapper.

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

// Returns the backend's own name, or `known_as` if it has none.
std::string backendName(const c10d::Backend& backend,
                        const std::string& known_as);

// Returns the class that executes operations, in C++ or Python:
// "acme::Backend", "acme.AcmeBackend". Returns "" for torch's own classes,
// including torch's checking wrapper around one. Needs the GIL.
std::string foreignClass(const c10::intrusive_ptr<c10d::Backend>& backend);

class TracedBackend;

// Wraps the backends of `devices` and the children of traced backends. Skips
// backends that are already wrapped. `devices` maps a device to torch's name of
// its backend. `members` are global ranks in group rank order; pass an empty
// list if only the members of children are known. Returns the number of traced
// backends. Needs the GIL.
int attach(c10d::ProcessGroup& group, Recorder& recorder,
           const std::map<c10::DeviceType, std::string>& devices,
           const std::vector<std::uint32_t>& members);

// Calls `visit` once for each traced backend of the group.
void forEachTraced(c10d::ProcessGroup& group,
                   const std::function<void(TracedBackend&)>& visit);

// Records a mark about an action on a group, or about its failure, in the
// traces of its backends, and requests a flush. Needed because calls by type
// bypass the wrappers.
void markGroup(c10d::ProcessGroup& group, MarkKind kind, const char* message);

}  // namespace traced
