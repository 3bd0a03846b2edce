// What tracectl's exit status means; documented in docs/cli.md.

#pragma once

namespace traced {

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

}  // namespace traced
