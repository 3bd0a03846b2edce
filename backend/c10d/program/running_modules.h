// Which module a thread runs, and what for: what forward hooks say while they
// are called, and during backward what the autograd graph tells.
//
// A node of the graph belongs to the module that ran when it was made, a
// gradient that is accumulated to the module of its parameter. So backward
// needs no hooks, and nothing is put into the graph.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

// Whether operations are stamped with modules and phases from now on.
void stampModules(bool wanted) noexcept;

// The calling thread runs the module (ModuleNames' number): its forward, or its
// recomputation if that is within backward. Returns what it takes to leave.
std::uint64_t enterForward(std::uint32_t module);
// What the thread issues is for the module, in the phase that the thread is in.
std::uint64_t enterOnBehalf(std::uint32_t module);
std::uint64_t enterOptimizer();

// Leaves what was entered, and what was entered since and not left.
void leaveModule(std::uint64_t entered) noexcept;
// The same for what was entered last of a module's forwards.
void leaveForward(std::uint32_t module) noexcept;
// The thread runs nothing; for when what was entered has no end.
void leaveAllModules() noexcept;

// The module entered last, 0: none; and how many are entered.
std::uint32_t runningModule() noexcept;
std::size_t moduleDepth() noexcept;

}  // namespace traced
