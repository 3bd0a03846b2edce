// StreamDefinitions holds the definitions of one stream: groups, calls,
// buffers, threads, contexts, stacks with their frames, code and texts. Ids are
// unique within a stream.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/types/span.h"
#include "analysis/stream/rank_list.h"
#include "base/engine_traits.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// IdIndex maps an id to its index in a list. Recorders count ids from 1, so
// small ids need no hashing.
class IdIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Returns kNone for an unknown id.
  std::uint32_t find(std::uint32_t id) const {
    return id < small_.size() ? small_[id] : findLarge(id);
  }

  // Adds or replaces the index of an id.
  void set(std::uint32_t id, std::uint32_t index) {
    if (id >= kSmall) {
      large_[id] = index;
      return;
    }
    if (id >= small_.size()) small_.resize(id + 1, kNone);
    small_[id] = index;
  }

  void clear() {
    small_.clear();
    large_.clear();
  }

 private:
  // Bounds the cost of clearing and filling, whatever ids a file contains.
  static constexpr std::uint32_t kSmall = 1024;

  // Not inlined, so that the common case is small enough to be.
  [[gnu::noinline]] std::uint32_t findLarge(std::uint32_t id) const {
    const auto found = large_.find(id);
    return found == large_.end() ? kNone : found->second;
  }

  std::vector<std::uint32_t> small_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> large_;
};

// A process group as one rank sees it.
struct GroupDefinition {
  std::uint32_t id = 0;
  std::string name;
  std::string desc;
  std::string backend;
  std::string leg;
  RankList members;
  std::uint32_t group_rank = 0;
  std::uint32_t nth = 0;
  // The name is part of the group's identity, because nothing else
  // distinguishes groups with the same members.
  bool by_name = false;
  // Some or all of its operations were excluded by TRACED_SCOPE.
  bool left_out = false;
  // Messages within a node were excluded.
  bool leaves_out_messages = false;
  // Class of the backend; "" for torch's own backend of that name.
  std::string backend_class;

  const EngineTraits& engine() const {
    return engineTraits(backend, backend_class);
  }
};

// Returns nullopt if the member ranges are invalid.
std::optional<GroupDefinition> groupDefinition(const v1::Group& group);

class StreamDefinitions {
 public:
  // Moves the definitions out of a chunk. Add chunks in stream order: a later
  // group definition has newer labels.
  void add(v1::Payload& payload);

  // Makes names part of group identities. Used for Flight Recorder dumps, which
  // lack a group's leg and its number among groups with the same members.
  void identifyByName();

  const std::vector<GroupDefinition>& groups() const { return groups_; }
  const std::vector<v1::Call>& calls() const { return calls_; }
  const std::vector<v1::Thread>& threads() const { return threads_; }
  // Ids of groups that were refused because of invalid ranges.
  const absl::flat_hash_set<std::uint32_t>& refusedGroups() const {
    return refused_;
  }

  // Returns the index of an id if the chunk added last defines it, else kNone.
  static constexpr std::uint32_t kNone = IdIndex::kNone;
  std::uint32_t callInChunk(std::uint32_t id) const {
    return calls_in_chunk_.find(id);
  }
  // Returns the index of an id defined by any chunk, or kNone.
  std::uint32_t call(std::uint32_t id) const { return call_by_id_.find(id); }

  // Returns an index into groups(), or kNone.
  std::uint32_t group(std::uint32_t id) const { return group_by_id_.find(id); }
  // Return the definition of an id; nullptr or nullopt if undefined.
  const v1::Thread* thread(std::uint32_t id) const;
  const v1::Context* context(std::uint32_t id) const;
  bool haveContexts() const { return !contexts_.empty(); }
  const v1::Stack* stack(std::uint32_t id) const;
  // Returns the Python frames, innermost first; nullptr for unknown frames.
  std::vector<const v1::Frame*> frames(const v1::Stack& stack) const;
  // Returns siteText() of context_text.h; "" if the call site is unknown.
  std::string siteText(const v1::Stack& stack) const;
  bool haveStacks() const { return !stacks_.empty(); }
  // Returns a C++ frame of a stack, or nullptr if unknown.
  const v1::Code* code(std::uint64_t id) const;
  const std::string* text(std::uint32_t id) const;
  // The memory of a call's tensors.
  struct BufferList {
    // One range per tensor, inputs first, then outputs. Valid until the next
    // add().
    absl::Span<const v1::BufferRange> ranges;
    // Number of tensors without a range, because there were too many.
    std::uint32_t cut = 0;
  };
  // Returns the buffers with an id (IssueRow::buffers), or nullopt if the id is
  // undefined.
  std::optional<BufferList> buffers(std::uint32_t id) const;

 private:
  struct BufferSpan {
    std::size_t begin = 0;
    std::size_t count = 0;
    std::uint32_t cut = 0;
  };

  void addGroup(const v1::Group& group);
  void addBuffers(const v1::Buffers& buffers);
  void addCode(v1::Code& code);
  const v1::Frame* frame(std::uint64_t id) const;
  // Returns the frame with this number, counted from 1. Returns nullptr for 0
  // and for unknown frames.
  const v1::Frame* frame(const v1::Stack& stack, std::uint32_t number) const;

  std::vector<GroupDefinition> groups_;
  std::vector<v1::Call> calls_;
  std::vector<v1::Thread> threads_;
  std::vector<v1::Context> contexts_;
  std::vector<v1::Stack> stacks_;
  std::vector<std::string> texts_;
  std::vector<v1::BufferRange> ranges_;
  absl::flat_hash_set<std::uint32_t> refused_;
  IdIndex group_by_id_, call_by_id_, thread_by_id_, context_by_id_,
      stack_by_id_, text_by_id_;
  absl::flat_hash_map<std::uint32_t, BufferSpan> buffers_by_id_;
  absl::flat_hash_map<std::uint64_t, v1::Code> code_by_id_;
  absl::node_hash_map<std::uint64_t, v1::Frame> frame_by_id_;
  IdIndex calls_in_chunk_;
};

}  // namespace traced
