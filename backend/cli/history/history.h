#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

// tracectl history FILE
std::unique_ptr<Subcommand> makeHistory();

}  // namespace traced
