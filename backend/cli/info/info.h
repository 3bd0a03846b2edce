// tracectl info: who wrote what, and what is missing of it.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeInfo();

}  // namespace traced
