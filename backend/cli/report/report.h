// tracectl report: what communication cost.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeReport();

}  // namespace traced
