// Judges the changes of all keys: which are shown not to be chance, and which
// exceed the floor for certain.

#pragma once

#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

struct Judged {
  // The smallest p that so many runs can give, what the worst of so many keys
  // needs, and how many these are.
  double least_p = 1;
  double needed_p = 0;
  std::size_t tested_keys = 0;

  bool canFind() const { return least_p <= needed_p; }
};

Judged judge(std::vector<ComparedKey>& keys, const Runs& base,
             const Runs& fresh, const CompareSettings& settings);

}  // namespace traced
