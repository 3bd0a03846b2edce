// tracectl merge: one file from many.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeMerge();

}  // namespace traced
