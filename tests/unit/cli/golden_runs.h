// The runs whose outputs are in tests/golden.

#pragma once

#include <string>

#include "unit/cli/diagnose/hung_run.h"
#include "unit/cli/example_run.h"
#include "unit/cli/modular_run.h"
#include "unit/cli/stepped_run.h"

namespace traced::testing {

// Writes each run into its own folder of `directory`.
inline void writeGoldenRuns(const std::string& directory) {
  writeExampleRun(directory + "/run");
  SteppedRun stepped;
  stepped.switched_off = stepped.simulated = stepped.marks = true;
  writeSteppedRun(directory + "/stepped", stepped);
  writeHungRun(directory + "/hung");
  writeMismatchedRun(directory + "/mismatched");
  writeModularRun(directory + "/modular");
}

}  // namespace traced::testing
