// Writes the events of communication: the begin and the end of a collective or
// a message.

#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>

#include "cli/export/otf2/archive.h"
#include "traced/v1/definitions.pb.h"

namespace traced::otf2 {

struct Communication {
  const v1::Call& call;
  // Number of its communicator in the archive.
  std::uint32_t group;
  // Identifies the operation within its rank.
  std::uint64_t request;
  // Rank of the peer in the group, plus 1; 0 if unknown.
  std::uint32_t peer_plus_1;
  // Receives the events. The begin is placed at the latest enter().
  LocationWriter& begin;
  // Attributes of the begin event.
  Facts& facts;
  // Absent if the end is unknown.
  std::optional<std::int64_t> end_ns;
  // True if the caller waited for the operation within the call.
  bool at_once;
};

// Writes the events of an operation. Returns false and writes nothing if OTF2
// has no such events for it.
bool writeEvents(const Communication& communication);

// Returns the OTF2 role of the region that shows a call of `op`.
OTF2_RegionRole roleOf(v1::Operation op);
// Returns the OTF2 collective. Absent for messages, batches of other
// operations, and the management of groups.
std::optional<OTF2_CollectiveOp> collectiveOf(const v1::Call& call);

}  // namespace traced::otf2
