// Parses --ranks, --groups and --last, which select a part of a run for formats
// that show matched operations.

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
  // Declares the three options on `app`, which stores their values in this
  // object. The object must not move or end before `app` has parsed.
  void declare(CLI::App& app);
  // Returns whether any of the options was given.
  bool given() const {
    return !ranks_.empty() || !groups_.empty() || last_s_.has_value();
  }
  // Describes, in a sentence, ranks or groups that the run does not have.
  // Returns "" if it has all of them.
  std::string unknownIn(const RunOverview& overview) const;
  // Returns the selection by these options only. The caller sets scope, window
  // and the maximum number of operations.
  ViewSelection selection() const;

 private:
  std::string ranks_;
  std::vector<std::string> groups_;
  std::optional<double> last_s_;
};

// Describes in one line what the view leaves out. Returns "" if it shows
// everything.
std::string leftOutText(const JobView& view);

}  // namespace traced
