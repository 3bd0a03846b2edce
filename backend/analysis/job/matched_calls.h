// MatchedCalls tells of each call of a stream how the operations made with it
// meet those of other ranks.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/dependency.h"
#include "analysis/job/operation_index.h"
#include "analysis/stream/stream_table.h"

namespace traced {

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
