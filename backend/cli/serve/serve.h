// tracectl serve: figures and alarms of the jobs that run on this host.

#pragma once

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeServe();

}  // namespace traced
