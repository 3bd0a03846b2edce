// Detects file systems that hang. If the server of a network file system is
// unreachable, every access blocks forever, and no signal interrupts it.

#pragma once

#include <string>

namespace traced {

// Returns false if the file system of `path` does not answer within 5 s. The
// limit is 1 s after a first file system hung. An I/O error is an answer, and
// without a child process (see below) the file system counts as answering.
//
// A child process lists the directory and opens one file below it, or opens
// `path` itself if it is a file. A hanging child cannot keep this process from
// exiting.
//
// Results are cached per directory: an answer for 1 s, a hang until the child
// has exited. Any thread. Callers run one at a time.
bool answersInTime(const std::string& path);

}  // namespace traced
