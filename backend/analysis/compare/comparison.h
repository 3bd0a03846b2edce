// Comparison describes how the runs of one side differ from those of the other.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/compare_limits.h"
#include "analysis/compare/remark.h"
#include "analysis/compare/run_figures.h"
#include "analysis/compare/run_part.h"
#include "analysis/statistics/shift.h"

namespace traced {

enum class ChangeKind : std::uint8_t {
  // No change beyond the floor.
  kNone,
  // A change beyond the floor is neither shown nor excluded.
  kOpen,
  kWorse,
  kBetter,
  // Neither better nor worse: bytes in flight.
  kOther,
};

const char* nameOf(ChangeKind kind);

// The reason why another part changed.
struct Cause {
  // Absent if the cause is that one side has different operations.
  std::optional<RunPart> part;
  // The kind of operation; absent means all.
  std::optional<RunKey> key;
};

// One part of one key, compared between both sides.
struct Change {
  RunPart part = RunPart::kStep;
  // The value in each run, and the median of each side.
  std::vector<double> base, fresh;
  double before = 0;
  double after = 0;
  // Natural logarithm of fresh over base.
  Shift log_ratio;
  // p-value, corrected for all parts and keys. Absent if not tested: the part
  // is small, or a count that is equal in all runs of a side.
  std::optional<double> p;
  ChangeKind kind = ChangeKind::kNone;
  // For times: share of the base's step that all calls of a rank take.
  double share = 0;
  // Less than a thousandth of a step, so not tested.
  bool small = false;
  // Another change that explains this one.
  std::optional<Cause> follows;
  // A change that may explain this one. For an exposed wait: a change of kind
  // kOpen. For a wait for peers: an alternative to the culprit computing
  // longer.
  std::optional<Cause> perhaps_follows;
  // For a wait for peers: the rank that others wait for longer.
  std::optional<std::uint32_t> culprit;
  // For an exposed wait: the program begins to wait sooner. Times in ns, from
  // the call's return to the wait.
  struct Ahead {
    double before_ns = 0;
    double after_ns = 0;
  };
  std::optional<Ahead> sooner;

  // Return fresh over base, and the bounds of its interval.
  double ratio() const;
  double low() const;
  double high() const;
  // Returns the smallest change, as a part of the figure, that is found in 9 of
  // 10 comparisons.
  double detectable(const CompareLimits& limits) const;
  // Returns how much longer a step could be, as a part of it, without being
  // detected.
  double undetectedStepPart() const;
};

// One kind of operation that both sides have, or the total.
struct ComparedKey {
  // Absent for the total.
  std::optional<RunKey> key;
  std::vector<Change> changes;
  // The call site in the newer program; "" if unknown.
  std::string site;
};

// Returns the change of a part, or null if a side lacks the part.
Change* changeOf(ComparedKey& key, RunPart part);

// A kind of operation that only one side has.
struct OneSided {
  RunKey key;
  bool in_base = false;
  // Per step.
  double calls = 0;
  double bytes = 0;
  std::string site;
};

// A role whose groups have different members on the two sides.
struct Regrouped {
  std::string group;
  std::string before;
  std::string after;
};

struct CompareSettings {
  CompareLimits limits;
  // Whether the i-th runs of both sides ran side by side.
  bool paired = false;
};

struct Comparison {
  CompareSettings settings;
  std::size_t base_runs = 0;
  std::size_t fresh_runs = 0;
  std::size_t same_runs = 0;
  bool stepped = false;
  std::string steps;
  std::uint32_t world_size = 0;
  // Why the runs cannot be compared. If not empty, the other results are empty.
  std::vector<Remark> unfit;
  // Why the absence of a regression cannot be confirmed.
  std::vector<Remark> not_measured;
  // Other differences between the sides.
  std::vector<Remark> notes;

  std::vector<OneSided> one_sided;
  std::vector<Regrouped> regrouped;
  // The first entry is the total.
  std::vector<ComparedKey> keys;
  // False if a side has only one run: differences are shown without a verdict.
  bool has_verdict = false;
  // The smallest p-value possible with this number of runs, and the one that
  // the most significant key needs.
  double least_p = 1;
  double needed_p = 0;
  std::size_t tested_keys = 0;

  // Returns whether a part became worse, or operations or groups differ. Always
  // false without a verdict.
  bool hasFindings() const;
};

// Compares two sides. `same` may hold further runs of the base's program, to
// measure how much it varies by itself. `base` and `fresh` must not be empty.
Comparison compareRuns(const std::vector<RunFigures>& base,
                       const std::vector<RunFigures>& fresh,
                       const std::vector<RunFigures>& same,
                       const CompareSettings& settings);

}  // namespace traced
