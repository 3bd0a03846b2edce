// SpeedPictureBuilder collects how fast operations of each size were.

#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/figures/histogram.h"
#include "analysis/pictures/pictures.h"
#include "analysis/time_split/time_split.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

class SpeedPictureBuilder {
 public:
  // Adds the bandwidths of an operation. Ignores it if its message is empty or
  // its bus factor is not positive.
  void add(v1::Operation op, double message_bytes, double bus_factor,
           const OperationSplit& split);
  void add(const SpeedPictureBuilder& other);

  std::vector<Speed> finish() const;

 private:
  struct Speeds {
    Histogram transfer;
    Histogram ready;
  };
  // By operation and binary logarithm of the size.
  std::map<std::pair<int, int>, Speeds> speeds_;
};

}  // namespace traced
