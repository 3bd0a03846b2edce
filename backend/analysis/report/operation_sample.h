// What one operation adds to the sums that it is part of.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/report/report.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct OperationSample {
  std::optional<std::uint64_t> host_ns;
  std::optional<std::uint64_t> completion_ns;
  std::optional<std::uint64_t> wait_ns;
};

OperationSample sampleOf(const AssembledOperation& op);

// What is said of an operation besides its times.
struct OperationManner {
  bool captured = false;
  // It has members of a coalesced batch.
  bool in_batch = false;
  bool unseen_wait = false;
};

void addTo(CallTotals& totals, const AssembledOperation& op,
           const OperationSample& sample, const OperationManner& manner);

}  // namespace traced
