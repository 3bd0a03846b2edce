// --steps, --since and --until, which several verbs have: what part of a run
// they look at.

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/job/run_window.h"
#include "cli/common/json.h"

namespace traced {

class WindowOption {
 public:
  void declare(CLI::App& app);
  RunWindow window() const;
  // Of a verb that looks at whole runs only: says so, and `why`, where one of
  // the options is given.
  static void refuse(CLI::App& app, const std::string& why);

 private:
  std::string steps_ = "all";
  std::optional<double> since_s_;
  std::optional<double> until_s_;
};

// "Only steps 10-49; 120 operations outside not looked at"; "" of all.
std::string windowText(const RunWindow& window, std::uint64_t outside);
// The object "window", unless it is all.
void addWindow(Json& json, const RunWindow& window, std::uint64_t outside);

}  // namespace traced
