#include "analysis/match/message_order.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace traced {
namespace {

// The messages with one tag: numbers of the sends, and indices of the receives.
struct OfOneTag {
  std::vector<std::uint64_t> sent;
  std::vector<std::size_t> received;
};

class Taken {
 public:
  explicit Taken(const std::vector<ReceivedMessage>& receives)
      : receives_(receives), numbers_(receives.size()) {}

  // Assigns each receive the message with its own number if the tags agree.
  void byNumber(const std::vector<SentMessage>& sends) {
    // A receive from any source shifts the numbers of the others.
    const bool moved =
        std::any_of(receives_.begin(), receives_.end(),
                    [](const ReceivedMessage& r) { return r.fromAnySource(); });
    if (moved) return;
    absl::flat_hash_map<std::uint64_t, std::int32_t> tags;
    for (const SentMessage& send : sends) tags[send.number] = send.tag;
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      const auto sent = tags.find(receives_[i].number);
      const bool same = sent != tags.end() && sent->second == receives_[i].tag;
      if (same) numbers_[i] = sent->first;
    }
  }

  void inOrder(const OfOneTag& messages) {
    for (std::size_t first = 0; first < messages.received.size();) {
      const std::size_t end = togetherFrom(messages.received, first);
      const bool alike = areAlike(messages.received, first, end);
      for (; first < end; ++first) {
        const std::size_t receive = messages.received[first];
        if (receives_[receive].unresolved) return;
        if (alike && first < messages.sent.size()) {
          numbers_[receive] = messages.sent[first];
        }
      }
    }
  }

  std::vector<std::uint64_t> take() && { return std::move(numbers_); }

 private:
  // Returns the end of the receives from `first` on that overlap in time.
  std::size_t togetherFrom(const std::vector<std::size_t>& received,
                           std::size_t first) const {
    std::int64_t end_ns = receives_[received[first]].end_ns;
    std::size_t last = first + 1;
    for (; last < received.size(); ++last) {
      const ReceivedMessage& next = receives_[received[last]];
      if (next.issue_ns >= end_ns) break;
      end_ns = std::max(end_ns, next.end_ns);
    }
    return last;
  }

  bool areAlike(const std::vector<std::size_t>& received, std::size_t first,
                std::size_t end) const {
    const bool any_source = receives_[received[first]].fromAnySource();
    return std::all_of(received.begin() + static_cast<std::ptrdiff_t>(first),
                       received.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](std::size_t receive) {
                         return receives_[receive].fromAnySource() ==
                                any_source;
                       });
  }

  const std::vector<ReceivedMessage>& receives_;
  std::vector<std::uint64_t> numbers_;
};

// Returns whether the numbers are 1, 2, 3 and so on, so that the beginning is
// complete.
bool countFromOne(std::vector<std::uint64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != i + 1) return false;
  }
  return true;
}

bool areWhole(const std::vector<SentMessage>& sends,
              const std::vector<ReceivedMessage>& receives) {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;
  for (const SentMessage& send : sends) sent.push_back(send.number);
  for (const ReceivedMessage& receive : receives) {
    if (!receive.fromAnySource()) received.push_back(receive.number);
  }
  return countFromOne(std::move(sent)) && countFromOne(std::move(received));
}

}  // namespace

std::vector<std::uint64_t> messagesTaken(
    std::vector<SentMessage> sends,
    const std::vector<ReceivedMessage>& receives, bool whole) {
  std::sort(sends.begin(), sends.end(),
            [](const SentMessage& a, const SentMessage& b) {
              return a.number < b.number;
            });
  Taken taken(receives);
  if (!whole || !areWhole(sends, receives)) {
    taken.byNumber(sends);
    return std::move(taken).take();
  }
  std::map<std::int32_t, OfOneTag> tags;
  for (const SentMessage& send : sends) {
    tags[send.tag].sent.push_back(send.number);
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    tags[receives[i].tag].received.push_back(i);
  }
  for (const auto& [tag, messages] : tags) taken.inOrder(messages);
  return std::move(taken).take();
}

}  // namespace traced
