// Matches the calls of a stream with those of other ranks, and finds pairs of
// ranks whose messages sequence numbers cannot match.

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

// UnclearPairs holds the ordered pairs of ranks in which equal numbers may
// belong to different messages. That happens with receives from any source,
// which use no number. It also happens with several tags, if the engine matches
// or may match by tag.
class UnclearPairs {
 public:
  // Adds a send or receive call of global rank `self`. Ignores it if the engine
  // ignores tags, as NCCL does.
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
  // Groups and the ranks that receive from any source in them.
  absl::btree_set<std::pair<std::uint32_t, std::uint32_t>> any_source_;
};

// Returns the ends of a send or receive of rank `self` with rank `peer`.
inline MessageEnds messageEndsOf(std::uint32_t group, std::uint32_t self,
                                 std::uint32_t peer, v1::Operation op) {
  const bool sends = op == v1::OPERATION_SEND;
  return {group, sends ? self : peer, sends ? peer : self};
}

struct MatchedCall {
  // Whether its operations can be matched with those of other ranks.
  bool usable = false;
  // The key of its operations, without the sequence number.
  OperationKey key;
  // Equal on all ranks that call the same operation.
  std::uint64_t signature = 0;
  DependencyRole role;
  std::uint32_t group_size = 0;
  // Number of ranks in one operation. 2 for a message.
  std::uint32_t parts = 0;
};

// MatchedCalls determines for each call of a stream how its operations match
// those of other ranks.
class MatchedCalls {
 public:
  // `groups`: indices of the stream's groups in a GroupCatalog, or kNone to
  // leave one out.
  MatchedCalls(const StreamTable& table,
               absl::Span<const std::uint32_t> groups);

  // Returns nullptr if an operation cannot be matched. It is simulated, has no
  // number or no known call or group, is left out, or is alone in its group.
  // Also nullptr for messages of unclear pairs: several tags, or a receiver
  // that also receives from any source.
  const MatchedCall* of(const AssembledOperation& op) const {
    if (op.call == AssembledOperation::kNoCall || op.seq == 0) return nullptr;
    const MatchedCall& matched = calls_[op.call];
    return matched.usable ? &matched : nullptr;
  }

  // Returns whether any call's operations can be matched.
  bool anyUsable() const;

  // Returns all calls of the stream, usable or not, indexed like its
  // definitions.
  const std::vector<MatchedCall>& all() const { return calls_; }

 private:
  std::vector<MatchedCall> calls_;
};

}  // namespace traced
