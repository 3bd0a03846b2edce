// tracectl diagnose: who, where and why.

#pragma once

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeDiagnose();

}  // namespace traced
