// Comparison says what became of the runs of one side on the other.

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
  // Neither: more bytes in flight.
  kOther,
};

const char* nameOf(ChangeKind kind);

// Why another part changed.
struct Cause {
  // Absent: one side has other operations.
  std::optional<RunPart> part;
  // The operations that it is about; absent: all.
  std::optional<RunKey> key;
};

// One part of one key, on both sides.
struct Change {
  RunPart part = RunPart::kStep;
  // Of each run, and their medians.
  std::vector<double> base, fresh;
  double before = 0;
  double after = 0;
  // The logarithm of the ratio.
  Shift log_ratio;
  // Of its key, corrected for all keys; absent where chance has no part in it:
  // counts that are equal in all runs of a side.
  std::optional<double> p;
  ChangeKind kind = ChangeKind::kNone;
  // Of the base's step, of times: what all calls of a rank take.
  double share = 0;
  // Less than a thousandth of a step: not tested.
  bool small = false;
  // Another change that it follows from.
  std::optional<Cause> follows;
  // It may follow from this, which is open: of an exposed wait of which nothing
  // else is known. Or, of a wait for peers, whether the culprit computes longer
  // is.
  std::optional<Cause> perhaps_follows;
  // The rank that others wait for longer, of a wait for peers.
  std::optional<std::uint32_t> culprit;
  // Of an exposed wait: the program begins to wait sooner than it did, ns after
  // the call returned.
  struct Ahead {
    double before_ns = 0;
    double after_ns = 0;
  };
  std::optional<Ahead> sooner;

  double ratio() const;
  double low() const;
  double high() const;
  // What would have been found in 9 of 10 comparisons, as a part of itself.
  double detectable(const CompareLimits& limits) const;
  // By how much a step may have become longer without being told from none, as
  // a part of it.
  double unseenOfStep() const;
};

// A kind of operation that both sides have, or all of them together.
struct ComparedKey {
  // Absent: the total.
  std::optional<RunKey> key;
  std::vector<Change> changes;
  // Where the newer program calls it, "" where that is not known.
  std::string site;
};

// A kind of operation that only one side has.
struct OneSided {
  RunKey key;
  bool in_base = false;
  // Of a step.
  double calls = 0;
  double bytes = 0;
  std::string site;
};

// A role whose groups are others.
struct Regrouped {
  std::string group;
  std::string before;
  std::string after;
};

struct CompareSettings {
  CompareLimits limits;
  // The i-th run of one side ran beside the i-th of the other.
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
  // Why the runs cannot be compared at all: nothing else is filled in.
  std::vector<Remark> unfit;
  // Why "no regression" cannot be said.
  std::vector<Remark> not_measured;
  // What else is to be known: what differs between the sides.
  std::vector<Remark> notes;

  std::vector<OneSided> one_sided;
  std::vector<Regrouped> regrouped;
  // The total first.
  std::vector<ComparedKey> keys;
  // With one run a side, what there is is told without a verdict.
  bool has_verdict = false;
  // The smallest p that so many runs can give, and what p the worst of the keys
  // needs.
  double least_p = 1;
  double needed_p = 0;
  std::size_t tested_keys = 0;

  bool hasFindings() const;
};

// `same`: further runs of the base's program, where there are any.
Comparison compareRuns(const std::vector<RunFigures>& base,
                       const std::vector<RunFigures>& fresh,
                       const std::vector<RunFigures>& same,
                       const CompareSettings& settings);

}  // namespace traced
