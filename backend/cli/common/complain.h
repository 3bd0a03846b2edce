// How a verb ends, and what it says when it cannot do its work.

#pragma once

#include <string>

namespace traced {

class PendingFile;

// What the exit status means; documented in docs/reference/cli/index.md.
enum class ExitCode {
  kFine = 0,
  // Findings, or with --strict any warning.
  kFindings = 1,
  kUsage = 2,
  kNothingReadable = 3,
  kInternal = 4,
  // A gate that had nothing to judge; a diagnosis that found nothing in traces
  // whose end is not known.
  kNotMeasured = 5,
};

// Says a sentence on standard error, after the program's name.
void complain(const std::string& sentence);

// Complains of how the verb was called; with what it ends then.
ExitCode refuse(const std::string& sentence);

// Whether a file may be written. Complains if it is there already, unless
// --force was given.
bool mayWrite(const std::string& path, bool force);

// Puts a file in its place. Complains if that fails.
bool finish(PendingFile& file);

}  // namespace traced
