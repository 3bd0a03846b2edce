// What one merge says of the clocks of its streams.

#pragma once

#include <vector>

#include "traced/v1/clock.pb.h"

namespace traced {

// All bring instants to the time line of this merge. Another merge has another:
// instants on two of them are not to be compared.
struct MergedClocks {
  std::vector<v1::ClockModel> models;
};

}  // namespace traced
