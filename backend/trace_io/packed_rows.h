// PackedRows are the rows of a serialized payload, read from where they lie.
// Protobuf would first make an array of every column, which takes longer than
// all that is done with the rows.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace_io/packed_column.h"
#include "trace_io/rows.h"

namespace traced {

// Not thread safe.
class PackedRows {
 public:
  // Finds the columns of a serialized Payload, which must stay, and puts all
  // else of it into `rest`: a Payload without rows, and without its header,
  // which whoever reads rows has. False for what is not as a recorder writes
  // it; whether that is a payload at all, protobuf must tell.
  bool split(std::string_view payload, std::string& rest);

  // As those of a v1::Payload.
  bool columnsAgree() const { return agree_; }
  std::uint64_t rowCount() const { return count_; }
  // Only when columnsAgree().
  template <typename Visit>
  void forEachRow(std::int64_t anchor_ns, Visit&& visit) {
    const detail::RowReaders readers(columns_, anchor_ns);
    if (in_step_) {
      detail::visitInStep(readers, visit);
    } else if (ascending_) {
      detail::visitByOperation(readers, anchor_ns, visit);
    } else {
      latest_.restart(anchor_ns, columns_.of<IssueRow>().first().size());
      detail::visitByTable(readers, latest_, visit);
    }
    detail::visitOthers(columns_, anchor_ns, visit);
  }

 private:
  void compareTables();

  PayloadColumns<PackedColumn> columns_;
  LatestInstants latest_;
  bool agree_ = true;
  // The tables name the same operations in the same order, or are empty.
  bool in_step_ = false;
  // No table goes back to an earlier operation.
  bool ascending_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace traced
