#include "cli/common/part_options.h"

#include "absl/strings/str_cat.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr double kNsInSecond = 1e9;
// About a century, well below overflow.
constexpr double kLatestSecond = 3e9;

std::optional<std::int64_t> nsOf(const std::optional<double>& seconds) {
  if (!seconds) return std::nullopt;
  return static_cast<std::int64_t>(*seconds * kNsInSecond);
}

}  // namespace

void WindowOption::declare(CLI::App& app) {
  app.add_option(
         "--steps", steps_,
         "Only operations issued in these training steps, such as 10-49")
      ->check([](const std::string& text) {
        const auto steps = StepRange::parse(text);
        return steps ? std::string() : steps.error().message;
      })
      ->option_text("A-B");
  app.add_option("--since", since_s_,
                 "Only operations issued this many seconds or more after the "
                 "first rank began to record")
      ->check(CLI::Range(0.0, kLatestSecond));
  app.add_option("--until", until_s_,
                 "Only operations issued before this many seconds")
      ->check(CLI::Range(0.0, kLatestSecond));
}

void WindowOption::refuse(CLI::App& app, const std::string& why) {
  for (const std::string option : {"--steps", "--since", "--until"}) {
    app.add_option_function<std::string>(option,
                                         [option, why](const std::string&) {
                                           throw CLI::ValidationError(option,
                                                                      why);
                                         })
        ->group("");  // no part of the help
  }
}

RunWindow WindowOption::window() const {
  return {StepRange::parse(steps_).value(), nsOf(since_s_), nsOf(until_s_)};
}

std::string windowText(const RunWindow& window, std::uint64_t outside) {
  if (window.all()) return "";
  return absl::StrCat("Only ", window.text(), "; ",
                      countOf(outside, "operation"), " outside were skipped");
}

void addWindow(Json& json, const RunWindow& window, std::uint64_t outside) {
  if (window.all()) return;
  Json& window_json = json["window"];
  window_json["steps"] = window.steps.text();
  setIf(window_json, "since_ns", window.since_ns);
  setIf(window_json, "until_ns", window.until_ns);
  window_json["outside"] = outside;
}

void ScopeOption::declare(CLI::App& app) {
  app.add_option(
         "--scope", name_,
         "Operations to include: all, crossnode (between nodes) or none")
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
    return absl::StrCat(count, " not included", option);
  }
  return absl::StrCat(count, " within a node were skipped", option);
}

}  // namespace traced
