// tracectl pack: what a node has of a job, in files to be sent elsewhere.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makePack();

}  // namespace traced
