// From when on what the evidence shows is a finding.

#pragma once

#include <cstdint>

namespace traced {

struct DiagnosisOptions {
  // An operation that has not ended for so long hangs.
  std::int64_t hung_after_ns = 5'000'000'000;
  // A rank that keeps the others waiting for so long, once, is late.
  std::int64_t late_after_ns = 1'000'000'000;
};

}  // namespace traced
