// tracectl show: single operations, a column per rank.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeShow();

}  // namespace traced
