#include "cli/compare/append_run.h"

#include <iostream>

#include "analysis/history/history_file.h"
#include "cli/common/complain.h"
#include "cli/common/text.h"

namespace traced {

ExitCode refuseUnmeasured(const std::vector<std::string>& reasons) {
  for (const std::string& reason : reasons) {
    std::cerr << "not measured: " << printable(reason) << "\n";
  }
  return ExitCode::kNotMeasured;
}

ExitCode appendRun(const RunFigures& run, const std::string& file,
                   const std::string& label) {
  if (!run.gaps.empty()) return refuseUnmeasured(run.gaps);
  const Appended appended = appendToHistory(file, run, label);
  if (appended.kind == Appended::Kind::kAdded) return ExitCode::kFine;
  complain(appended.problem);
  return appended.kind == Appended::Kind::kFailed ? ExitCode::kInternal
                                                  : ExitCode::kUsage;
}

}  // namespace traced
