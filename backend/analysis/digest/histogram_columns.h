// The histograms of a digest, as columns.

#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/figures/histogram.h"
#include "analysis/time_split/split_totals.h"
#include "traced/v1/digest.pb.h"

namespace traced {

// Appends what a row of the number `row` has: that of one rank.
void addHistograms(std::uint32_t row, const SplitTotals& split,
                   v1::StreamDigest& digest);

// Reads them row by row. Not thread safe.
class HistogramColumns {
 public:
  explicit HistogramColumns(const v1::StreamDigest& digest) : digest_(digest) {}

  // What a row has in all its histograms, `behind` apart; rows are asked for in
  // their order. False when the columns say something impossible.
  bool read(std::uint32_t row, SplitTotals::Parts& parts, Histogram& behind);

  // Whether all was asked for.
  bool atEnd() const;

 private:
  bool readOne(Histogram& histogram);

  const v1::StreamDigest& digest_;
  int next_ = 0;
  int next_bucket_ = 0;
};

}  // namespace traced
