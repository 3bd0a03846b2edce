// How the calls of a stream meet those of other ranks, and in which pairs of
// ranks numbers do not tell.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/types/span.h"
#include "analysis/job/dependency.h"
#include "analysis/job/operation_index.h"
#include "analysis/stream/stream_table.h"
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

// UnclearPairs knows the ordered pairs of ranks in which the numbers of the two
// sides are not those of the same messages: where some are received from any
// source, which draws no number, and where several tags are in use and the
// engine matches by tag, or may do so.
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

struct MatchedCall {
  // Whether its operations have a place among those of other ranks.
  bool usable = false;
  // All but the sequence number.
  OperationKey key;
  // Equal on all ranks that mean the same operation.
  std::uint64_t signature = 0;
  DependencyRole role;
  std::uint32_t group_size = 0;
  // Ranks with a part in one operation: of a message two.
  std::uint32_t parts = 0;
};

// MatchedCalls tells of each call of a stream how the operations made with it
// meet those of other ranks.
class MatchedCalls {
 public:
  // `groups`: indices of the stream's groups in a GroupCatalog; kNone for one
  // that is left out.
  MatchedCalls(const StreamTable& table,
               absl::Span<const std::uint32_t> groups);

  // nullptr where an operation cannot be matched: simulated, not numbered, of
  // an unknown call or group, of one that is left out, alone in its group. Nor
  // can sends and receives of a pair that uses several tags, or of a rank that
  // also receives from any source: there numbers do not tell which belong
  // together.
  const MatchedCall* of(const AssembledOperation& op) const {
    if (op.call == AssembledOperation::kNoCall || op.seq == 0) return nullptr;
    const MatchedCall& matched = calls_[op.call];
    return matched.usable ? &matched : nullptr;
  }

  // Whether the operations of any call can be.
  bool anyUsable() const;

  // All calls of the stream, as its definitions number them; usable or not.
  const std::vector<MatchedCall>& all() const { return calls_; }

 private:
  std::vector<MatchedCall> calls_;
};

}  // namespace traced
