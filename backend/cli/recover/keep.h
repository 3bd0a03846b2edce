// tracectl keep: outlives the processes of a job and saves what they leave.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeKeep();

}  // namespace traced
