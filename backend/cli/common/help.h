// How tracectl explains itself.

#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace traced {

// The words that an option's value must be one of; empty: it may be anything.
std::vector<std::string> allowedValues(const CLI::Option& option);

// Help texts in two columns that fit a screen: what an option takes is one
// word, and what is said of it is said once.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option,
                          bool is_positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
};

// Returns "  LEFT   RIGHT" in two columns, RIGHT wrapped to the screen.
std::string helpLine(const std::string& left, const std::string& right);

// Returns what `tracectl help columns` prints.
std::string columnsHelp();

// The verbs that are for people, by their names.
std::vector<std::string> verbNames(const CLI::App& app);

// Returns a script that completes verbs and options: for bash, zsh or fish;
// absent for any other shell.
std::optional<std::string> completionScript(const CLI::App& app,
                                            const std::string& shell);

// The name that fewest changes of a letter (one more, one less, another, or two
// neighbours swapped) lead to; the first of several. Absent where that takes
// more than a third of the letters.
std::optional<std::string> nearestName(const std::string& name,
                                       const std::vector<std::string>& names);

// ", did you mean report?"; "" where no name is near.
std::string didYouMean(const std::string& name,
                       const std::vector<std::string>& names);

}  // namespace traced
