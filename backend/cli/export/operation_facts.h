// What is told of an operation beside its name and its times, by name: what a
// click shows, in formats whose readers show whatever there is.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stream/observed_end.h"
#include "analysis/time_split/certified_times.h"
#include "analysis/timeline/slices.h"
#include "analysis/view/job_view.h"

namespace traced {

inline const char* nameOf(EndBound bound) {
  if (bound == EndBound::kExact) return "exact";
  return bound == EndBound::kTold ? "told" : "seen";
}

// Returns by how much clocks let the transfer of an operation be off. An end
// that is a late bound leaves more open, downwards.
inline std::uint64_t transferOffByNs(CertifiedTime transfer,
                                     const AssembledOperation& op) {
  if (isLateBound(op)) transfer.low_ns = transfer.ns;
  return offByNs(transfer);
}

class FactTaker {
 public:
  virtual ~FactTaker() = default;

  virtual void take(const char* name, std::uint64_t value) = 0;
  virtual void take(const char* name, const std::string& text) = 0;
};

// What is not known is left out. `table`: of the slice's stream.
void tellFacts(FactTaker& taker, const StreamTable& table,
               const OperationSlice& slice,
               const std::optional<JobView::Latest>& latest);

}  // namespace traced
