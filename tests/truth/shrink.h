// Reduces a program as long as the same wrong answer occurs.

#pragma once

#include <string>

#include "truth/program.h"

namespace traced::truth {

Program shrink(Program program, const std::string& check,
               const std::string& folder);

}  // namespace traced::truth
