// tracectl ctl: changes settings of a running job.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeCtl();

}  // namespace traced
