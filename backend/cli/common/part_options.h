// Options of several verbs that choose a part of a run: --steps, --since and
// --until, and --scope.

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
  // Of a verb that looks at whole runs only: says so, and `why`, where one of
  // the options is given.
  static void refuse(CLI::App& app, const std::string& why);

 private:
  std::string steps_ = "all";
  std::optional<double> since_s_;
  std::optional<double> until_s_;
};

// "Only steps 10-49; 120 operations outside were skipped"; "" of all.
std::string windowText(const RunWindow& window, std::uint64_t outside);
// The object "window", unless it is all.
void addWindow(Json& json, const RunWindow& window, std::uint64_t outside);

class ScopeOption {
 public:
  void declare(CLI::App& app);
  ReportedScope scope() const;

 private:
  std::string name_ = "all";
};

// "12 operations are not looked at: they stay within a node (--scope
// crossnode)"; "" when all are looked at.
std::string scopeText(ReportedScope scope, std::uint64_t out_of_scope);

}  // namespace traced
