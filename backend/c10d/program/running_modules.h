// Tracks which module a thread runs and in which phase: reported by hooks
// during forward, derived from the autograd graph during backward.
//
// A graph node belongs to the module that ran when it was created. A gradient
// accumulation belongs to the module of its parameter. Backward thus needs no
// hooks, and nothing is added to the graph.

#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/context/placed_contexts.h"

namespace traced {

// Enables or disables recording modules and phases with operations.
void stampModules(bool wanted) noexcept;

// Enters a module's forward, or its recomputation if the thread is within a
// backward. `module` is a ModuleNames number. Returns a token for
// leaveModule().
std::uint64_t enterForward(std::uint32_t module);
// Attributes the thread's operations to the module, in the thread's current
// phase. Returns a token for leaveModule().
std::uint64_t enterOnBehalf(std::uint32_t module);
// Does the same for PHASE_OPTIMIZER without a module.
std::uint64_t enterOptimizer();

// Leaves the entry, and all later entries that are still open.
void leaveModule(std::uint64_t entered) noexcept;
// Leaves the module's latest forward, and all later entries.
void leaveForward(std::uint32_t module) noexcept;
// Leaves all entries of the thread. Used when an entry has no matching leave.
void leaveAllModules() noexcept;

// Return the thread's innermost module, or 0, and the number of its open
// entries.
std::uint32_t runningModule() noexcept;
std::size_t moduleDepth() noexcept;

// Returns where the thread's next operation belongs.
ModuleAndPhase runningPlace();

}  // namespace traced
