// Describes the Python stack of a thread that may run meanwhile, from copies of
// its frames.

#pragma once

#include <optional>

#include "c10d/program/code_kinds.h"
#include "traced/v1/definitions.pb.h"

struct _ts;

namespace traced {

// Returns the frames of a thread and the exception that it handles. The stack
// is empty if the thread runs no Python. Returns nullopt if a frame cannot be
// read: the thread changed it meanwhile. `thread` is a copy of its state. May
// throw std::bad_alloc.
std::optional<v1::Stack> copiedStack(const _ts& thread, const CodeKinds& kinds);

}  // namespace traced
