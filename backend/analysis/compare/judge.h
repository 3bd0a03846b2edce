// Judges the changes of all keys: which are statistically significant, and
// which certainly exceed the floor.

#pragma once

#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

struct Judged {
  // The smallest p-value possible with this number of runs, the one that the
  // most significant key needs, and the number of tested keys.
  double least_p = 1;
  double needed_p = 0;
  std::size_t tested_keys = 0;

  bool canFind() const { return least_p <= needed_p; }
};

// Sets Change::p and Change::kind of all changes.
Judged judge(std::vector<ComparedKey>& keys, const Runs& base,
             const Runs& fresh, const CompareSettings& settings);

}  // namespace traced
