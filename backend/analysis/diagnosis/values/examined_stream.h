// ExaminedStream is a stream with the lookups that several rules share. They
// are made once, when a rule first needs them. Not thread safe.

#pragma once

#include <optional>

#include "analysis/diagnosis/values/comparable_operations.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class ExaminedStream {
 public:
  // Both must outlive this object.
  ExaminedStream(const StreamTable& table, const GroupCatalog& catalog)
      : table_(table), catalog_(catalog) {}

  const StreamTable& table() const { return table_; }
  const ComparableOperations& operations() const {
    if (!operations_) operations_.emplace(table_, catalog_);
    return *operations_;
  }

 private:
  const StreamTable& table_;
  const GroupCatalog& catalog_;
  mutable std::optional<ComparableOperations> operations_;
};

}  // namespace traced
