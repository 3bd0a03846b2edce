// How the messages of an ordered pair of ranks meet: by their numbers, and by
// their tags.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/diagnosis/job_state/pair_table.h"
#include "analysis/job/signature.h"

namespace traced {

// A message that the two sides gave differently, by its number as it was sent.
struct Difference {
  std::uint64_t seq = 0;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  // As it was received it has the same number.
  bool same_number = true;
};
// The first number at which the two sides differ.
std::optional<Difference> firstDifference(const MessagePair& pair);

// Where an engine has regard to tags, messages pair within a tag in order,
// across tags in any: so what is received may be any that is sent behind it.
struct TagPairing {
  // The first that is received otherwise than it was sent; absent where there
  // is none. Nothing else is known then.
  std::optional<Difference> unlike;
  // The first that is sent and not received, and the first that is received and
  // not sent; absent where there is none, and where that is not known.
  std::optional<std::uint64_t> not_received;
  std::optional<std::uint64_t> not_sent;
};
// `from`: below it numbers pair.
TagPairing pairByTags(const SignatureTable& signatures, const MessagePair& pair,
                      std::uint64_t from);

}  // namespace traced
