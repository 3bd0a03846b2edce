// tracectl rings: the chunks that the rings of traces hold beyond the files,
// for readers of other languages. Not in the list of verbs; see docs/format.md.

#pragma once

#include <memory>

#include "cli/common/subcommand.h"

namespace traced {

std::unique_ptr<Subcommand> makeRings();

}  // namespace traced
