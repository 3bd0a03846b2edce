// Fills the row tables of a payload: what rows.h reads.

#pragma once

#include "trace_io/rows.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Add a row to its table. Until finishRows() the columns hold values, not
// differences.
void addRow(v1::Payload& payload, const IssueRow& row);
void addRow(v1::Payload& payload, const ReturnRow& row);
void addRow(v1::Payload& payload, const DoneRow& row);
void addRow(v1::Payload& payload, const WaitRow& row);
void addRow(v1::Payload& payload, const ReleaseRow& row);
void addRow(v1::Payload& payload, const MethodRow& row);
void addRow(v1::Payload& payload, const MarkRow& row);

// Makes of all rows what rows.proto says, once, when the payload has its anchor
// and no row is to come.
void finishRows(v1::Payload& payload);

}  // namespace traced
