// BackwardCalls decides whether an operation was issued by autograd, in
// backward.

#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class BackwardCalls {
 public:
  // `table` must outlive this object.
  explicit BackwardCalls(const StreamTable& table) : table_(table) {}

  // Returns whether it was issued in backward. A recorded phase decides;
  // without one, autograd's threads, which run the backward of devices.
  bool contains(const AssembledOperation& op) {
    const v1::Phase phase = phaseOf(op);
    if (phase != v1::PHASE_UNSPECIFIED) return phase == v1::PHASE_BACKWARD;
    const auto [known, is_new] = threads_.try_emplace(op.thread, false);
    if (is_new) {
      const v1::Thread* thread = table_.definitions.thread(op.thread);
      known->second = thread && absl::StartsWith(thread->name(), "pt_autograd");
    }
    return known->second;
  }

  // Returns the recorded phase, if any.
  v1::Phase phaseOf(const AssembledOperation& op) const {
    const v1::Context* context = table_.contextOf(op);
    return context ? context->phase() : v1::PHASE_UNSPECIFIED;
  }

  // Returns whether it carries pickled objects, as broadcast_object_list does.
  bool carriesObjects(const AssembledOperation& op) const {
    const v1::Context* context = table_.contextOf(op);
    return context && !context->parent().empty();
  }

 private:
  const StreamTable& table_;
  absl::flat_hash_map<std::uint32_t, bool> threads_;
};

}  // namespace traced
