// What is told of an operation beside its name and its times, by name: what a
// click shows, in formats whose readers show whatever there is.

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

inline const char* nameOf(EndBound bound) {
  if (bound == EndBound::kExact) return "exact";
  return bound == EndBound::kReported ? "told" : "seen";
}

// Returns by how much clocks let the transfer of an operation be off. An end
// that is a late bound leaves more open, downwards.
inline std::uint64_t transferOffByNs(CertifiedTime transfer,
                                     const AssembledOperation& op) {
  if (isLateBound(op)) transfer.low_ns = transfer.ns;
  return offByNs(transfer);
}

// Receives a fact: an unsigned number or a text.
using TakeFact = absl::FunctionRef<void(const char* name, const CellValue&)>;

// What is not known is left out. `table`: of the slice's stream.
void reportFacts(TakeFact take, const StreamTable& table,
                 const OperationSlice& slice,
                 const std::optional<JobView::Latest>& latest);

}  // namespace traced
