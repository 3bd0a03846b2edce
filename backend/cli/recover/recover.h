// tracectl recover: brings back what killed processes left in shared memory.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeRecover();

}  // namespace traced
