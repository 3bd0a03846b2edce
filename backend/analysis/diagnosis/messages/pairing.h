// Pairs the messages of an ordered pair of ranks, by numbers and by tags.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/diagnosis/job_state/pair_table.h"
#include "analysis/job/signature.h"

namespace traced {

// A message that the two sides called differently.
struct Difference {
  // Its number on the sender.
  std::uint64_t seq = 0;
  // Its signature on each side, as a number in the job's SignatureTable.
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  // Whether it has the same number on the receiver.
  bool same_number = true;
};
// Returns the first number for which both sides have a message and these
// differ. Every receive must have a number.
std::optional<Difference> firstDifference(const MessagePair& pair);

// The result of pairing by tag. An engine that matches tags keeps order within
// a tag, and pairs different tags in any order. A receive may thus match any
// later send with its tag.
struct TagPairing {
  // The first message whose two sides differ in more than the order. If
  // present, the other fields are unknown.
  std::optional<Difference> unlike;
  // The lowest number of a message sent and not received (the sender's number),
  // and of one received and not sent (the receiver's). Absent if none or
  // unknown.
  std::optional<std::uint64_t> not_received;
  std::optional<std::uint64_t> not_sent;
};
// Matches each receive, in order, with the first unmatched send of its tag.
// Begins at number `from`, before which both sides must be equal: pass the
// result of firstDifference(). Every receive must have a number. `signatures`:
// the job's table. Stops at the first pair that differs. Returns an empty
// result if it cannot decide: a number is missing, or more than 4096 messages
// would have to be compared.
TagPairing pairByTags(const SignatureTable& signatures, const MessagePair& pair,
                      std::uint64_t from);

}  // namespace traced
