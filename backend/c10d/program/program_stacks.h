// Stamps operations with where in the program they are issued: in its Python
// code, and in C++ (recorder/stacks/cpp_stack).
//
// The Python stack of the calling thread is read without the GIL
// (python_frames), and known by where its code objects lie and how far each has
// come; it is told in words when it is new. A code object may be freed and
// another one come to lie at its place, so stacks are known anew once one is
// freed that was told of.

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

// From now on, or no longer; Python's until the interpreter ends. The folders
// that are given first tell whose code is whose. With the GIL; false if the
// frames of this Python are not known: then they are absent.
bool recordStacks(StackOptions wanted, const std::vector<CodeFolder>& folders);

// Where the calling thread is in Python, in words; no frames where it is in no
// Python code, or where nothing is recorded of that.
v1::Stack pythonStack();

}  // namespace traced
