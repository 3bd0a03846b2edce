// Finds changes of a kind of operation that follow from other changes of the
// same kind.

#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// Returns the part if it became worse, else nullptr.
Change* worse(ComparedKey& key, RunPart part);
// Returns how much the part grew, in ns for times.
double moreNs(const Change& change);

struct CauseOptions {
  // How much sooner a wait must begin to count, as a part of its earlier
  // distance.
  double floor = 0;
  // More bytes are in flight at a time.
  bool more_in_flight = false;
};

// Sets Change::follows, Change::perhaps_follows and Change::sooner, except for
// waits for peers.
void findCausesWithin(const Runs& base, const Runs& fresh,
                      const CauseOptions& options, ComparedKey& key);

}  // namespace traced
