// --ranks, --groups and --last: what of a run a format is given that shows
// matched operations.

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/view/job_view.h"

namespace traced {

class ViewOption {
 public:
  void declare(CLI::App& app);
  bool given() const {
    return !ranks_.empty() || !groups_.empty() || last_s_.has_value();
  }
  // A sentence about what the run does not have; "" if it has all.
  std::string unknownIn(const RunOverview& overview) const;
  // But for the scope, the window and how much fits.
  ViewSelection selection() const;

 private:
  std::string ranks_;
  std::vector<std::string> groups_;
  std::optional<double> last_s_;
};

// What is not there, in one line; "" when all is.
std::string leftOutText(const JobView& view);

}  // namespace traced
