// A question about a run, and how to change the run for it.

#pragma once

#include <functional>
#include <utility>

#include "analysis/whatif/replay.h"
#include "analysis/whatif/whatif.h"

namespace traced::whatif {

struct Asked {
  Answer answer;
  // What it refers to must live until the question was replayed.
  std::function<Change()> change;
  // Nothing bounds the answer but the recorded run.
  bool unbounded = false;
  // The change only shortens times, so the run cannot become longer.
  bool only_shortens = false;
};

}  // namespace traced::whatif
