// Exit codes and error messages of the commands.

#pragma once

#include <string>

namespace traced {

class PendingFile;

// Exit status of tracectl, documented in docs/reference/cli/index.md.
enum class ExitCode {
  kFine = 0,
  // Findings, or with --strict any warning.
  kFindings = 1,
  kUsage = 2,
  kNothingReadable = 3,
  kInternal = 4,
  // A gate had nothing to judge, or a diagnosis found nothing and some ranks'
  // ends are unknown.
  kNotMeasured = 5,
};

// Writes a sentence to standard error, prefixed with the program's name.
void complain(const std::string& sentence);

// Reports wrong usage. Returns the exit code for the command to return.
ExitCode refuse(const std::string& sentence);

// Returns true if the file may be written. Reports an error if it exists,
// unless `force` (--force) is set.
bool mayWrite(const std::string& path, bool force);

// Moves the finished file to its final path. Returns false and reports an error
// on failure.
bool finish(PendingFile& file);

}  // namespace traced
