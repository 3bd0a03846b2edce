// tracectl check: a gate for CI, free of timing noise.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeCheck();

}  // namespace traced
