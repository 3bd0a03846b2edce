// The events of communication: a collective or a message begins, and ends.

#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>

#include "cli/export/otf2/archive.h"
#include "traced/v1/definitions.pb.h"

namespace traced::otf2 {

struct Communication {
  const v1::Call& call;
  // Number of its communicator.
  std::uint32_t group;
  // Of no other operation of the rank.
  std::uint64_t request;
  // In the group; 0: not known.
  std::uint32_t peer_plus_1;
  // Where it begins: in what was entered last.
  LocationWriter& begin;
  // Those of its beginning.
  Facts& facts;
  // Absent where it is not known.
  std::optional<std::int64_t> end_ns;
  // The caller waited for it in the call.
  bool at_once;
};

// False of what OTF2 has no such events for; then nothing is written.
bool tell(const Communication& told);

OTF2_RegionRole roleOf(v1::Operation op);
// Absent of messages, and of what is no collective of its own: a batch of
// others, or the management of a group.
std::optional<OTF2_CollectiveOp> collectiveOf(const v1::Call& call);

}  // namespace traced::otf2
