// --scope, which several verbs have: which operations they look at.

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "analysis/job/scope.h"

namespace traced {

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
