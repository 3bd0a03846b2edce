// What OTF2 calls an operation of torch.distributed.

#pragma once

#include <otf2/otf2.h>

#include <optional>

#include "traced/v1/definitions.pb.h"

namespace traced::otf2 {

OTF2_RegionRole roleOf(v1::Operation op);
// Absent of messages, and of what is no collective of its own: a batch of
// others, or the management of a group.
std::optional<OTF2_CollectiveOp> collectiveOf(const v1::Call& call);

}  // namespace traced::otf2
