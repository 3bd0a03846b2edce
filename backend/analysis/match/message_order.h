// The order of messages of one ordered pair of ranks: which message each
// receive took.
//
// Within a tag, messages are received in the order in which they were sent
// (Gloo and MPI). If receives from any source and from this one overlap, the
// backend decides which takes which. The result is then unknown.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace traced {

struct SentMessage {
  // The sender's number of the message to this receiver, from 1.
  std::uint64_t number = 0;
  std::int32_t tag = 0;
};

struct ReceivedMessage {
  // The receiver's number of the message from this sender. 0 for a receive from
  // any source.
  std::uint64_t number = 0;
  std::int32_t tag = 0;
  // On the receiver's clock. The end may be an upper bound.
  std::int64_t issue_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
  // A receive from any source whose source is unknown. It may not belong to
  // this pair.
  bool unresolved = false;

  bool fromAnySource() const { return number == 0; }
};

// Returns for each receive the number of the message that it took, or 0 if
// unknown. `receives` must be sorted by issue. `whole`: no message of either
// side is missing before the last one.
std::vector<std::uint64_t> messagesTaken(
    std::vector<SentMessage> sends,
    const std::vector<ReceivedMessage>& receives, bool whole);

}  // namespace traced
