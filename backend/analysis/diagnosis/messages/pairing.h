// How the messages of an ordered pair of ranks meet: by their numbers, and by
// their tags. See docs/diagnosis.md, "Messages".

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/diagnosis/evidence/pair_table.h"
#include "analysis/job/signature.h"

namespace traced {

// The first number at which the two sides differ.
struct Difference {
  std::uint64_t seq = 0;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
};
std::optional<Difference> firstDifference(const MessagePair& pair);

// Where an engine has regard to tags, messages pair within a tag in order,
// across tags in any: so what is received may be any that is sent behind it.
struct TagPairing {
  // What meets within a tag is alike, or that is not known.
  bool fits = true;
  // The first message that is sent and not received, and the first that is
  // received and not sent; absent where there is none, and where that is not
  // known.
  std::optional<std::uint64_t> not_received;
  std::optional<std::uint64_t> not_sent;
};
// `from`: below it numbers pair.
TagPairing pairByTags(const SignatureTable& signatures, const MessagePair& pair,
                      std::uint64_t from);

}  // namespace traced
