// tracectl diagnose --follow: looks at a running job again and again, from
// outside, and tells what is wrong with it while it is.

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
  // Who is waited for may be computing: that is told after so long.
  std::chrono::nanoseconds busy_after{60'000'000'000};
  bool until_verdict = false;
  bool json = false;
};

// Returns when all processes have ended, or with the first verdict if that is
// wanted.
ExitCode follow(const FollowOptions& options);

}  // namespace traced
