// Implements `tracectl diagnose --follow`: polls a running job from outside and
// reports problems while they last.

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "cli/common/complain.h"
#include "cli/diagnose/diagnose_output.h"

namespace traced {

struct FollowOptions {
  std::vector<std::string> inputs;
  std::string title;
  DiagnosisOptions diagnosis;
  DiagnoseTextOptions text;
  // A rank that others wait for may be computing. Such a verdict is reported
  // after this time.
  std::chrono::nanoseconds busy_after{60'000'000'000};
  bool until_verdict = false;
  // Print an event as one line: of JSON, or only the action of a verdict.
  bool json = false;
  bool action = false;
};

// Blocks until all processes have ended, or until the first verdict if
// `until_verdict` is set.
ExitCode follow(const FollowOptions& options);

}  // namespace traced
