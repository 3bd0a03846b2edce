// Remarks of a comparison besides its changes: why runs cannot be compared, why
// the absence of a regression cannot be confirmed, and what else differs.

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

// Data of a run is missing.
struct RunGap {
  std::string run;
  Gap gap;
};

// The number of further gaps of a run.
struct MoreGaps {
  std::string run;
  std::size_t count = 0;
};

// Two runs differ in their number of ranks or in their steps. `steps` is "" for
// a run without steps.
struct UnequalRuns {
  struct Run {
    std::string name;
    std::uint32_t ranks = 0;
    std::string steps;
  };

  bool in_ranks = false;
  Run one, other;
};

// Operations, each with its group, that only one side has.
struct OtherProgram {
  std::vector<std::pair<std::string, std::string>> only;
};

// Paired sides have different numbers of runs. `of_same`: the other side is the
// one of --same.
struct Unbalanced {
  std::size_t base = 0;
  std::size_t other = 0;
  bool of_same = false;
};

// How many runs per side, or pairs, can find a change. Absent if no number can.
struct TooFewRuns {
  std::optional<std::size_t> enough;
};

// A side has only one run.
struct OneRun {};

// A remark about one part of a kind of operation, or of all of them.
struct PartRemark {
  enum class What : std::uint8_t {
    // The runs of --same differ from the base by `by`, a part of the figure.
    kUnlikeItself,
    // A step could be longer by `by`, a part of it, without being detected.
    kVaries,
    // The change is no larger than the variation of --same.
    kWithinItself,
    // Only some of the runs have it.
    kNotInAll,
  };

  What what = What::kVaries;
  RunPart part = RunPart::kStep;
  std::optional<RunKey> key;
  double by = 0;
};

// A kind of operation that only some runs of a side have.
struct InSomeRuns {
  RunKey key;
  std::size_t in_base = 0;
  std::size_t in_fresh = 0;
};

// Another fact that differs, such as a version.
struct OtherFact {
  std::string name;
  std::set<std::string> before;
  std::set<std::string> after;
};

using Remark =
    std::variant<RunGap, MoreGaps, UnequalRuns, OtherProgram, Unbalanced,
                 TooFewRuns, OneRun, PartRemark, InSomeRuns, OtherFact>;

}  // namespace traced
