// Divides runs without marked steps into sections that ranks have in common.

#pragma once

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// Sets RankEvents::sections. Without marked steps, a section begins with an
// operation that all ranks joined. Ranks that differ in one section can then
// still be compared in the others.
void findSections(ReplayJob& job);

}  // namespace traced::whatif
