// Reads exceptions of Python's that go through C++.

#pragma once

namespace traced {

// Has them read from now on (error_text.h).
void readPythonErrors();

}  // namespace traced
