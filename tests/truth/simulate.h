// Runs a program as c10d over Gloo does: each group of a rank has a queue with
// two workers, messages go past it.

#pragma once

#include "truth/history.h"
#include "truth/program.h"

namespace traced::truth {

History simulate(const Program& program);

}  // namespace traced::truth
