#include "cli/common/scope_option.h"

#include "absl/strings/str_cat.h"
#include "cli/common/text.h"

namespace traced {

void ScopeOption::declare(CLI::App& app) {
  app.add_option("--scope", name_,
                 "Which operations: all, crossnode (between nodes) or none")
      ->check(CLI::IsMember({"all", "crossnode", "none"}))
      ->capture_default_str();
}

ReportedScope ScopeOption::scope() const {
  return reportedScopeNamed(name_).value_or(ReportedScope::kAll);
}

std::string scopeText(ReportedScope scope, std::uint64_t out_of_scope) {
  if (scope == ReportedScope::kAll) return "";
  const std::string count = countOf(out_of_scope, "operation");
  const std::string option = absl::StrCat(" (--scope ", nameOf(scope), ")");
  if (scope == ReportedScope::kNone) {
    return absl::StrCat(count, " not looked at", option);
  }
  return absl::StrCat(count, " within a node not looked at", option);
}

}  // namespace traced
