// UnclearPairs knows the ordered pairs of ranks in which the numbers of the two
// sides are not those of the same messages: where some are received from any
// source, which draws no number, and where several tags are in use and the
// engine matches by tag, or may do so.

#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "base/engine_traits.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// A group and two global ranks.
struct MessageEnds {
  std::uint32_t group = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;

  auto operator<=>(const MessageEnds&) const = default;
};

class UnclearPairs {
 public:
  // A send or receive of rank `self`.
  void add(std::uint32_t group, const EngineTraits& engine, std::uint32_t self,
           const v1::Call& call);

  bool empty() const { return several_tags_.empty() && any_source_.empty(); }
  bool contains(const MessageEnds& pair) const {
    return several_tags_.contains(pair) ||
           any_source_.contains({pair.group, pair.destination});
  }

 private:
  absl::btree_map<MessageEnds, std::int32_t> tags_;
  absl::btree_set<MessageEnds> several_tags_;
  // Groups, and the ranks that receive from any source there.
  absl::btree_set<std::pair<std::uint32_t, std::uint32_t>> any_source_;
};

// Of a send or receive of rank `self` with rank `peer`.
inline MessageEnds messageEndsOf(std::uint32_t group, std::uint32_t self,
                                 std::uint32_t peer, v1::Operation op) {
  const bool sends = op == v1::OPERATION_SEND;
  return {group, sends ? self : peer, sends ? peer : self};
}

}  // namespace traced
