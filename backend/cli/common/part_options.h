// Options that select a part of a run, shared by several commands: --steps,
// --since and --until, and --scope.

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/job/run_filters.h"
#include "cli/common/json.h"

namespace traced {

class WindowOption {
 public:
  void declare(CLI::App& app);
  RunWindow window() const;
  // Declares the options for a command that reads whole runs only. If one is
  // given, parsing fails with `why`.
  static void refuse(CLI::App& app, const std::string& why);

 private:
  std::string steps_ = "all";
  std::optional<double> since_s_;
  std::optional<double> until_s_;
};

// Returns, for example, "Only steps 10-49; 120 operations outside were
// skipped"; "" for the whole run. `outside` counts operations.
std::string windowText(const RunWindow& window, std::uint64_t outside);
// Adds the object "window" unless the window is the whole run.
void addWindow(Json& json, const RunWindow& window, std::uint64_t outside);

class ScopeOption {
 public:
  void declare(CLI::App& app);
  ReportedScope scope() const;

 private:
  std::string name_ = "all";
};

// Returns, for example, "12 operations are not looked at: they stay within a
// node (--scope crossnode)"; "" if all are included.
std::string scopeText(ReportedScope scope, std::uint64_t out_of_scope);

}  // namespace traced
