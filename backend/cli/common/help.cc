#include "cli/common/help.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/common/subcommand.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::size_t kFirstColumn = 24;

// Returns the placeholder for the option's value.
std::string valueName(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() == 0) return "";
  if (absl::StartsWith(type, "UINT") || absl::StartsWith(type, "INT") ||
      absl::StartsWith(type, "FLOAT") || absl::StartsWith(type, "NUMBER")) {
    return " N";
  }
  const std::string& own = option.get_option_text();
  return own.empty() ? " WORD" : " " + own;
}

// Returns "default share"; "" without a default.
std::string defaultText(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.size() >= 2 && text.front() == '[') {
    text = text.substr(1, text.size() - 2);
  }
  return text.empty() ? "" : absl::StrCat("default ", text);
}

std::string descriptionOf(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::vector<std::string> values = allowedValues(option);
  const bool named =
      values.empty() || (absl::StrContains(text, values.front()) &&
                         absl::StrContains(text, values.back()));
  if (!named) absl::StrAppend(&text, ": ", absl::StrJoin(values, ", "));
  const std::string usual = defaultText(option);
  if (!usual.empty() && !absl::StrContains(text, "default")) {
    absl::StrAppend(&text, " (", usual, ")");
  }
  return text;
}

// Longer names are unlikely to be typing errors. This also bounds the cost.
constexpr std::size_t kMaxLetters = 64;

std::size_t changesBetween(const std::string& a, const std::string& b) {
  // The last three rows of the edit-distance table: the cost to turn the first
  // i letters of `a` into the first j of `b`.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min(
          {above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string helpLine(const std::string& left, const std::string& right) {
  std::string first = absl::StrCat("  ", left);
  std::string text;
  if (first.size() + 2 > kFirstColumn) {
    absl::StrAppend(&text, first, "\n");
    first.clear();
  }
  first.resize(kFirstColumn, ' ');
  return text + wrapped(first, right);
}

std::vector<std::string> allowedValues(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    return {};
  }
  return absl::StrSplit(type.substr(begin + 1, end - begin - 1), ',');
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return app->get_description() + "\n";
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string) const {
  if (app->get_parent() == nullptr) {
    return "Usage: tracectl COMMAND [OPTIONS] INPUT...\n";
  }
  std::string usage =
      absl::StrCat("Usage: tracectl ", app->get_name(), " [OPTIONS]");
  for (const CLI::Option* option : app->get_options()) {
    if (!option->get_positional()) continue;
    const bool several = option->get_items_expected_max() > 1;
    const std::string word =
        absl::StrCat(option->get_name(true), several ? "..." : "");
    absl::StrAppend(&usage, " ",
                    option->get_required() ? word : "[" + word + "]");
  }
  return usage + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option,
                                       bool is_positional) const {
  const std::string left =
      is_positional
          ? option->get_name(true)
          : absl::StrCat(
                absl::StrJoin(
                    absl::StrSplit(option->get_name(false, true), ','), ", "),
                valueName(*option));
  return helpLine(left, descriptionOf(*option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  return helpLine(verb->get_name(), verb->get_description());
}

std::vector<std::string> verbNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    if (!verb->get_group().empty()) names.push_back(verb->get_name());
  }
  return names;
}

namespace {

class Help : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option("COMMAND", verb_,
                   "The command to explain, or \"columns\": the columns of "
                   "tables. Without it, lists the commands");
    app.footer("Example: tracectl help report");
  }

  ExitCode run() override {
    const CLI::App& all = *app_->get_parent();
    if (verb_.empty()) {
      std::cout << all.get_formatter()->make_help(&all, "",
                                                  CLI::AppFormatMode::Normal);
      return ExitCode::kFine;
    }
    if (verb_ == "columns") {
      std::cout << columnsHelp();
      return ExitCode::kFine;
    }
    const auto is_it = [&](const CLI::App* verb) {
      return verb->get_name() == verb_;
    };
    const std::vector<const CLI::App*> verb = all.get_subcommands(is_it);
    if (verb.empty()) {
      std::cerr << "tracectl: unknown command \"" << printable(verb_) << "\""
                << didYouMean(verb_, verbNames(all)) << "\n";
      return ExitCode::kUsage;
    }
    std::cout << verb.front()->help();
    return ExitCode::kFine;
  }

 private:
  CLI::App* app_ = nullptr;
  std::string verb_;
};

class Completion : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option("SHELL", shell_, "The shell to write the script for")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app.footer(
        "Examples:\n"
        "  source <(tracectl completion bash)     # in ~/.bashrc; zsh "
        "likewise\n"
        "  tracectl completion fish | source      # in config.fish");
  }

  ExitCode run() override {
    std::cout << completionScript(*app_->get_parent(), shell_).value_or("");
    return ExitCode::kFine;
  }

 private:
  CLI::App* app_ = nullptr;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Subcommand> makeHelp() { return std::make_unique<Help>(); }

std::unique_ptr<Subcommand> makeCompletion() {
  return std::make_unique<Completion>();
}

std::optional<std::string> nearestName(const std::string& name,
                                       const std::vector<std::string>& names) {
  if (name.size() > kMaxLetters) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : names) {
    const std::size_t changes = changesBetween(name, candidate);
    if (changes >= fewest) continue;
    fewest = changes;
    nearest = candidate;
  }
  return nearest;
}

std::string didYouMean(const std::string& name,
                       const std::vector<std::string>& names) {
  const auto nearest = nearestName(name, names);
  return nearest ? absl::StrCat(", did you mean ", *nearest, "?") : "";
}

}  // namespace traced
