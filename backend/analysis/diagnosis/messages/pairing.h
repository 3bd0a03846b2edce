// Pairs the messages of an ordered pair of ranks, by numbers and by tags.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/diagnosis/job_state/pair_table.h"
#include "analysis/job/signature.h"

namespace traced {

// A message that the two sides called differently. `seq` is its number on the
// sender.
struct Difference {
  std::uint64_t seq = 0;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  // Whether it has the same number on the receiver.
  bool same_number = true;
};
// Returns the first number at which the two sides differ.
std::optional<Difference> firstDifference(const MessagePair& pair);

// The result of pairing by tag. An engine that matches tags keeps order within
// a tag, and pairs different tags in any order. A receive may thus match any
// later send with its tag.
struct TagPairing {
  // The first message whose two sides differ in more than the order. If
  // present, the other fields are unknown.
  std::optional<Difference> unlike;
  // The first message sent and not received, and the first one received and not
  // sent. Absent if none or unknown.
  std::optional<std::uint64_t> not_received;
  std::optional<std::uint64_t> not_sent;
};
// Pairs messages by tag from number `from` on. Earlier messages must pair by
// number.
TagPairing pairByTags(const SignatureTable& signatures, const MessagePair& pair,
                      std::uint64_t from);

}  // namespace traced
