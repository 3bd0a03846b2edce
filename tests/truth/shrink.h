// Makes a program smaller for as long as the same lie is told of it.

#pragma once

#include <string>

#include "truth/program.h"

namespace traced::truth {

Program shrink(Program program, const std::string& check,
               const std::string& folder);

}  // namespace traced::truth
