// tracectl digest: sums of traces, and of digests one.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeDigest();

}  // namespace traced
