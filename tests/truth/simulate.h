// Runs a program like c10d over Gloo: each group of a rank has a queue with two
// workers, and messages bypass it.

#pragma once

#include "truth/history.h"
#include "truth/program.h"

namespace traced::truth {

History simulate(const Program& program);

}  // namespace traced::truth
