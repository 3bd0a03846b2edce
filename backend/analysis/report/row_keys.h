// RowKeys determines the report row of an operation.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report.h"
#include "analysis/report/row_samples.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Attributes of an operation besides its call, as far as they select its row or
// change its size. Attributes that do not matter stay at their defaults.
struct RowContext {
  std::optional<std::uint64_t> step;
  // Id of the stream's context; 0: none.
  std::uint32_t context = 0;
  // Id of its stack; 0: none.
  std::uint32_t stack = 0;
  // Ids of texts, see AssembledOperation.
  std::uint32_t algorithm = 0;
  std::uint32_t protocol = 0;
  // Set for the end of a coalesced batch.
  std::uint64_t batch_bytes = 0;
  double batch_bus_factor = -1;

  bool operator==(const RowContext&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const RowContext& row_context) {
    return H::combine(std::move(hash), row_context.step, row_context.context,
                      row_context.stack, row_context.algorithm,
                      row_context.protocol, row_context.batch_bytes,
                      row_context.batch_bus_factor);
  }
};

class RowKeys {
 public:
  // With `roles`, groups of a role with many groups share rows. Without, each
  // group has its own. `roles` must outlive this object.
  RowKeys(std::vector<ReportKey> by, const GroupRoles* roles);

  const std::vector<ReportKey>& by() const { return by_; }

  // Returns the attributes of an operation that select its row.
  RowContext contextOf(const StreamTable& table, const AssembledOperation& op,
                       const BatchSizes& sizes) const;

  // Returns a text for each key. `call` is nullptr if unknown; `group` is its
  // index in `groups`.
  std::vector<std::string> textsOf(const StreamTable& table,
                                   const v1::Call* call,
                                   const RowContext& row_context,
                                   std::uint32_t group,
                                   const GroupCatalog& groups) const;

 private:
  std::string textOf(ReportKey key, const StreamTable& table,
                     const v1::Call* call, const RowContext& row_context,
                     std::uint32_t group, const GroupCatalog& groups) const;

  const std::vector<ReportKey> by_;
  const GroupRoles* const roles_;
  bool by_step_ = false;
  bool by_context_ = false;
  bool by_site_ = false;
  bool by_method_ = false;
};

}  // namespace traced
