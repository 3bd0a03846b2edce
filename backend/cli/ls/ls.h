// tracectl ls: what runs there are.

#pragma once

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeLs();

}  // namespace traced
