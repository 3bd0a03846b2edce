#include "analysis/diagnosis/messages/pairing.h"

#include <algorithm>
#include <deque>
#include <map>

namespace traced {
namespace {

// Maximum number of messages compared one by one from the first difference on.
constexpr std::uint64_t kMaxCompared = 4096;

using Tag = std::optional<std::int32_t>;
// Numbers of the messages sent and not yet received, ascending, by tag.
using Waiting = std::map<Tag, std::deque<std::uint64_t>>;

// Returns the smallest number.
std::optional<std::uint64_t> firstOf(const Waiting& waiting) {
  std::optional<std::uint64_t> first;
  for (const auto& [tag, numbers] : waiting) {
    if (numbers.empty()) continue;
    first = std::min(first.value_or(numbers.front()), numbers.front());
  }
  return first;
}

}  // namespace

// Compares only where something changes: where a run of equal messages starts
// on either side, and after a hole, because a run may start in one.
std::optional<Difference> firstDifference(const MessagePair& pair) {
  const PairSide& sends = pair.sends;
  const PairSide& receives = pair.receives;
  const std::uint64_t begin = std::max(sends.first(), receives.first());
  const std::uint64_t end = std::min(sends.last(), receives.last());
  std::optional<Difference> first;
  const auto compareAt = [&](std::uint64_t seq) {
    if (seq < begin || seq > end || (first && first->seq <= seq)) return;
    if (!sends.has(seq) || !receives.has(seq)) return;
    const std::uint32_t sent = sends.messageAt(seq);
    const std::uint32_t received = receives.messageAt(seq);
    if (sent != received) first = Difference{seq, sent, received};
  };
  compareAt(begin);
  for (const PairSide* side : {&sends, &receives}) {
    for (const PairSide::Run& run : side->runs()) compareAt(run.first);
    for (const SeqRanges::Range& hole : side->holes().ranges()) {
      compareAt(hole.last + 1);
    }
  }
  return first;
}

TagPairing pairByTags(const SignatureTable& signatures, const MessagePair& pair,
                      std::uint64_t from) {
  const auto& [sends, receives] = pair;
  const std::uint64_t cut = from + kMaxCompared;
  Waiting waiting;
  for (std::uint64_t seq = from; seq <= sends.last() && seq < cut; ++seq) {
    if (!sends.has(seq)) return {};
    waiting[signatures.at(sends.messageAt(seq)).tag].push_back(seq);
  }
  TagPairing pairing;
  for (std::uint64_t seq = from; seq <= receives.last(); ++seq) {
    if (seq >= cut || !receives.has(seq)) return {};
    const std::uint32_t message = receives.messageAt(seq);
    auto& sent = waiting[signatures.at(message).tag];
    if (sent.empty() && sends.last() >= cut) return {};
    if (sent.empty()) {
      pairing.not_sent = pairing.not_sent.value_or(seq);
      continue;
    }
    const std::uint64_t number = sent.front();
    if (sends.messageAt(number) != message) {
      return {.unlike = Difference{number, sends.messageAt(number), message,
                                   number == seq},
              .not_received = {},
              .not_sent = {}};
    }
    sent.pop_front();
  }
  pairing.not_received = firstOf(waiting);
  return pairing;
}

}  // namespace traced
