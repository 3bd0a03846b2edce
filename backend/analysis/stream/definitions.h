// StreamDefinitions holds what the chunks of one stream define: groups, calls,
// buffers, threads, contexts, stacks with their frames, code and texts. Ids are
// unique within the stream.

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

// IdIndex tells where in a list each id of a stream is. Recorders count their
// ids from 1, so those that are small are looked up without hashing.
class IdIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // kNone for an id that is not there.
  std::uint32_t find(std::uint32_t id) const {
    return id < small_.size() ? small_[id] : findLarge(id);
  }

  // Replaces what the id had.
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
  // What clearing and filling costs is bounded, whatever ids a file has.
  static constexpr std::uint32_t kSmall = 1024;

  // Apart, so that what is mostly done is small enough to be inlined.
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
  // Its name is part of its identity: nothing better tells it from others with
  // the same members.
  bool by_name = false;
  // Some or all of its operations were not recorded here (TRACED_SCOPE).
  bool left_out = false;
  // Of what carries it out; "": torch's own for that name.
  std::string backend_class;

  const EngineTraits& engine() const {
    return engineTraits(backend, backend_class);
  }
};

// Absent when its ranges are impossible.
std::optional<GroupDefinition> groupDefinition(const v1::Group& group);

class StreamDefinitions {
 public:
  // Takes over what a chunk defines. Chunks are added in the stream's order,
  // because a later group brings newer labels.
  void add(v1::Payload& payload);

  // For streams that do not tell a group's leg, nor how many groups with its
  // members came before: Flight Recorder dumps.
  void identifyByName();

  const std::vector<GroupDefinition>& groups() const { return groups_; }
  const std::vector<v1::Call>& calls() const { return calls_; }
  const std::vector<v1::Thread>& threads() const { return threads_; }
  // Ids of groups that were refused because their ranges are impossible.
  const absl::flat_hash_set<std::uint32_t>& refusedGroups() const {
    return refused_;
  }

  // Index of what the chunk added last defines; kNone when it does not define
  // this id.
  static constexpr std::uint32_t kNone = IdIndex::kNone;
  std::uint32_t callInChunk(std::uint32_t id) const {
    return calls_in_chunk_.find(id);
  }
  // Of what any chunk defines.
  std::uint32_t call(std::uint32_t id) const { return call_by_id_.find(id); }

  // Index into groups(), or kNone.
  std::uint32_t group(std::uint32_t id) const { return group_by_id_.find(id); }
  // What an id of the stream stands for; nullptr or absent when undefined.
  const v1::Thread* thread(std::uint32_t id) const;
  const v1::Context* context(std::uint32_t id) const;
  bool haveContexts() const { return !contexts_.empty(); }
  const v1::Stack* stack(std::uint32_t id) const;
  // Its frames of Python, the innermost first; nullptr where one is not known.
  std::vector<const v1::Frame*> frames(const v1::Stack& stack) const;
  // As siteText() of context_text has it; "" where its call site is not known.
  std::string siteText(const v1::Stack& stack) const;
  bool haveStacks() const { return !stacks_.empty(); }
  // What a stack's calls in C++ are; nullptr where that is not known.
  const v1::Code* code(std::uint64_t id) const;
  const std::string* text(std::uint32_t id) const;
  struct BufferList {
    absl::Span<const v1::BufferRange> ranges;
    std::uint32_t cut = 0;
  };
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
  // The one that is counted so, from 1; nullptr of 0, and if it is not known.
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
