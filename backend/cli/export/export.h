// tracectl export: one row per operation, for other tools.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeExport();

}  // namespace traced
