// Reports further details of an operation as named facts, for formats whose
// readers display any attribute of a selected slice.

#pragma once

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "analysis/stream/observed_end.h"
#include "analysis/time_split/certified_times.h"
#include "analysis/timeline/slices.h"
#include "analysis/view/job_view.h"
#include "cli/export/columns.h"

namespace traced {

// Returns the name of `bound` as exported files spell it.
inline const char* nameOf(EndBound bound) {
  if (bound == EndBound::kExact) return "exact";
  return bound == EndBound::kReported ? "told" : "seen";
}

// Returns how far clock error can shift the transfer time of an operation, in
// nanoseconds. The lower end is ignored if the end time is only an upper bound.
inline std::uint64_t transferOffByNs(CertifiedTime transfer,
                                     const AssembledOperation& op) {
  if (isLateBound(op)) transfer.low_ns = transfer.ns;
  return offByNs(transfer);
}

// Receives a fact: an unsigned number or a text.
using TakeFact = absl::FunctionRef<void(const char* name, const CellValue&)>;

// Passes each known fact of `slice` to `take` and skips unknown ones. `table`
// must be the table of the slice's stream.
void reportFacts(TakeFact take, const StreamTable& table,
                 const OperationSlice& slice,
                 const std::optional<JobView::Latest>& latest);

}  // namespace traced
