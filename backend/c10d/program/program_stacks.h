// Records program stacks with operations: the Python stack, and the C++ stack
// (recorder/stacks/cpp_stack).
//
// The calling thread's Python stack is read without the GIL (python_frames). It
// is identified by the addresses of its code objects and the position in each,
// and described only when new. A freed code object's address may be reused.
// Stack identities therefore change once a described code object is freed.

#pragma once

#include <vector>

#include "c10d/program/code_kinds.h"
#include "ring_io/settings/options.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

struct StackOptions {
  StackMode python = StackMode::kOff;
  bool cpp = false;
  bool operator==(const StackOptions&) const = default;
};

// Enables or disables recording. Python stacks end when the interpreter exits.
// Only the first call's folders count. Returns false if the frames of this
// Python version are unsupported; Python stacks are then absent. Needs the GIL.
bool recordStacks(StackOptions wanted, const std::vector<CodeFolder>& folders);

// Returns the calling thread's Python stack. Empty outside of Python code, or
// if Python stacks are not recorded.
v1::Stack pythonStack();

}  // namespace traced
