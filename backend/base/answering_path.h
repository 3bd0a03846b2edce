// Detects file systems that hang: a network file system whose server is gone
// keeps every access waiting, for ever and beyond any signal.

#pragma once

#include <string>

namespace traced {

// Returns false if the file system of `path` does not answer within 5 s, or 1 s
// where another one did not answer before.
// Lists a directory and opens one file below it, or opens the file, in a child
// process: one that hangs cannot keep this process from ending.
// Remembers directories: one that hung costs no second wait, and is asked about
// again once the child has ended. Any thread.
bool answersInTime(const std::string& path);

}  // namespace traced
