// tracectl tree: what the modules of the program communicated.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeTree();

}  // namespace traced
