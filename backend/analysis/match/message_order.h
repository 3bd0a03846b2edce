// The order of the messages of one ordered pair of ranks: which message each
// receive took.
//
// Within a tag, messages are taken in the order in which they were sent (Gloo
// and MPI). Of receives that were under way together, some from any source and
// some not, the backend decides which takes which: that cannot be told.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace traced {

struct SentMessage {
  // As the sender counts those to this receiver, from 1.
  std::uint64_t number = 0;
  std::int32_t tag = 0;
};

struct ReceivedMessage {
  // As the receiver counts those that it asked this sender for; 0: from any
  // source.
  std::uint64_t number = 0;
  std::int32_t tag = 0;
  // On the clock of the receiver. The end may be a late bound.
  std::int64_t issue_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
  // From any source, which one is not known: perhaps not of this pair.
  bool unresolved = false;

  bool fromAnySource() const { return number == 0; }
};

// Of each receive, the number of the message that it took; 0: cannot be told.
// `receives` by issue. `whole`: nothing of either side is missing before the
// last one that is given.
std::vector<std::uint64_t> messagesTaken(
    std::vector<SentMessage> sends,
    const std::vector<ReceivedMessage>& receives, bool whole);

}  // namespace traced
