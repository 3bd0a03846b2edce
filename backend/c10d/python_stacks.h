// Stamps operations with where in the program's Python code they are issued.
//
// The stack of the calling thread is read without the GIL (python_frames), and
// known by where its code objects lie and how far each has come; it is told in
// words when it is new. A code object may be freed and another one come to lie
// at its place, so stacks are known anew once one is freed that was told of.

#pragma once

#include <string>
#include <vector>

#include "recorder/options.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// From now on, until the interpreter ends, or no longer. What is in
// `libraries`, beginnings of file names, is no call site. With the GIL; false
// if the frames of this Python are not known.
bool recordPythonStacks(StackMode mode,
                        const std::vector<std::string>& libraries);

// Where the calling thread is, in words; no frames where it is in no Python
// code, or where nothing is recorded of that.
v1::Stack pythonStack();

}  // namespace traced
