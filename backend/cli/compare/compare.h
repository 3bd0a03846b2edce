#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

// tracectl compare BASE... --against NEW...
std::unique_ptr<Subcommand> makeCompare();

}  // namespace traced
