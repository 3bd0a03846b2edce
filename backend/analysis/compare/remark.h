// What is to be known of a comparison besides what changed: why runs cannot be
// compared, why "no regression" cannot be said, what else differs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/budget/gap.h"
#include "analysis/compare/run_figures.h"
#include "analysis/compare/run_part.h"

namespace traced {

// Something of a run is not there.
struct RunGap {
  std::string run;
  Gap gap;
};

// So many more gaps of a run.
struct MoreGaps {
  std::string run;
  std::size_t count = 0;
};

// Two runs that must be alike are not: in the number of their ranks, or in
// their steps, "" being none.
struct UnequalRuns {
  struct Run {
    std::string name;
    std::uint32_t ranks = 0;
    std::string steps;
  };

  bool in_ranks = false;
  Run one, other;
};

// Some of the operations, each with its group, that only one side has.
struct OtherProgram {
  std::vector<std::pair<std::string, std::string>> only;
};

// Sides that are to be paired have not as many runs. `of_same`: the other one
// is that of --same.
struct Unbalanced {
  std::size_t base = 0;
  std::size_t other = 0;
  bool of_same = false;
};

// How many runs a side, or pairs, can find a change; absent: no number can.
struct TooFewRuns {
  std::optional<std::size_t> enough;
};

// Only one run is on a side.
struct OneRun {};

// About a part of a kind of operation, or of all of them.
struct PartRemark {
  enum class What : std::uint8_t {
    // The runs of --same differ by `by`, a part of it.
    kUnlikeItself,
    // A step could be longer by `by`, a part of it, and nobody could tell.
    kVaries,
    // It changed no more than runs of --same differ.
    kWithinItself,
    // Some runs lack it.
    kNotInAll,
  };

  What what = What::kVaries;
  RunPart part = RunPart::kStep;
  std::optional<RunKey> key;
  double by = 0;
};

// A kind of operation that is in some runs of a side and not in others.
struct InSomeRuns {
  RunKey key;
  std::size_t in_base = 0;
  std::size_t in_fresh = 0;
};

// A fact about how it ran, such as a version, that differs.
struct OtherFact {
  std::string name;
  std::set<std::string> before;
  std::set<std::string> after;
};

using Remark =
    std::variant<RunGap, MoreGaps, UnequalRuns, OtherProgram, Unbalanced,
                 TooFewRuns, OneRun, PartRemark, InSomeRuns, OtherFact>;

}  // namespace traced
