// Reduces a program as long as the same wrong answer occurs.

#pragma once

#include <string>

#include "truth/program.h"

namespace traced::truth {

// Returns the smallest program found within 10 s for which `check` (Lie::check)
// still finds a wrong answer. `folder` receives the traces of each try.
Program shrink(Program program, const std::string& check,
               const std::string& folder);

}  // namespace traced::truth
