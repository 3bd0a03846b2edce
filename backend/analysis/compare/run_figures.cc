#include "analysis/compare/run_figures.h"

#include <algorithm>

namespace traced {

double RunFigures::callsOf(const KeyFigures& key) const {
  return at(key.values, RunPart::kCalls).value_or(0) /
         std::max<double>(world_size, 1);
}

}  // namespace traced
