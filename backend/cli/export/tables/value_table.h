// The table "values": what TRACED_VALUES recorded of the content of tensors.

#pragma once

#include <string>

#include "analysis/job/group_catalog.h"
#include "analysis/stream/stream_table.h"
#include "cli/export/tables/table_file.h"

namespace traced {

// A hash or the statistics of a tensor. Exactly one is set.
struct ValueRow {
  const StreamTable& table;
  const AssembledOperation& op;
  const v1::Call& call;
  const std::string& group_label;
  const GroupDefinition& group;
  const HashRow* hash = nullptr;
  const StatisticsRow* statistics = nullptr;
};

const TableOf<ValueRow>& valueTable();

class ValueTable {
 public:
  // `groups` must outlive this object.
  ValueTable(const TableFolder& folder, const GroupCatalog& groups)
      : wanted_(folder.output.wants(valueTable().spec.name)),
        file_(folder, valueTable().spec),
        groups_(groups) {}

  // Adds the rows of a stream. Leaves out rows of operations that it does not
  // have.
  void add(const StreamTable& table);
  void finish() { file_.finish(); }

 private:
  const bool wanted_;
  TableFile file_;
  const GroupCatalog& groups_;
};

}  // namespace traced
