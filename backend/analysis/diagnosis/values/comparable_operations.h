// ComparableOperations finds the operations of a stream that can be compared
// with those of other ranks.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/matched_calls.h"
#include "analysis/stream/operations_by_id.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class ComparableOperations {
 public:
  struct Found {
    const AssembledOperation& op;
    const MatchedCall& match;
    const v1::Call& call;
  };

  // `table` must outlive this object.
  ComparableOperations(const StreamTable& table, const GroupCatalog& catalog)
      : table_(table),
        groups_(
            catalog.find(table.header.attempt(), table.definitions.groups())),
        matched_(table, groups_),
        by_id_(table) {
    for (const AssembledOperation& op : table.operations) {
      const MatchedCall* match = op.failed ? matched_.of(op) : nullptr;
      if (match) first_failures_.try_emplace(match->key, op.id);
    }
  }

  // Indices of the stream's groups in the catalog.
  const std::vector<std::uint32_t>& groups() const { return groups_; }
  // Returns any operation of the stream, comparable or not; nullptr if it has
  // none with this id.
  const AssembledOperation* any(std::uint64_t id) const {
    return by_id_.find(id);
  }
  // Returns nullopt for an operation that cannot be matched, and for those of a
  // group or pair of ranks from the first failed one on: if the program repeats
  // the call, later numbers no longer match.
  std::optional<Found> find(std::uint64_t id) const {
    const AssembledOperation* op = by_id_.find(id);
    const MatchedCall* match = op ? matched_.of(*op) : nullptr;
    if (!match) return std::nullopt;
    const auto failed = first_failures_.find(match->key);
    if (failed != first_failures_.end() && failed->second <= id) {
      return std::nullopt;
    }
    return Found{*op, *match, *table_.callOf(*op)};
  }

 private:
  const StreamTable& table_;
  const std::vector<std::uint32_t> groups_;
  const MatchedCalls matched_;
  const OperationsById by_id_;
  absl::flat_hash_map<OperationKey, std::uint64_t> first_failures_;
};

}  // namespace traced
