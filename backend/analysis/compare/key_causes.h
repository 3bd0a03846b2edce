// Which changes of one kind of operation follow from others of it.

#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// A part that became worse; nullptr where it did not.
Change* worse(ComparedKey& key, RunPart part);
double moreNs(const Change& change);

// Fills in Change::follows, Change::perhaps_follows and Change::sooner, but for
// waits for peers. `floor`: the part by which a wait must begin sooner.
void findCausesWithin(const Runs& base, const Runs& fresh, double floor,
                      ComparedKey& key);

}  // namespace traced
