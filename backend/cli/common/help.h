// Help texts, completion and spelling suggestions of tracectl.

#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace traced {

// Returns the allowed values of an option; empty if any value is allowed.
std::vector<std::string> allowedValues(const CLI::Option& option);

// HelpFormatter writes help in two columns that fit a screen.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option,
                          bool is_positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
};

// Returns "  LEFT   RIGHT" in two columns, with RIGHT wrapped to the screen.
std::string helpLine(const std::string& left, const std::string& right);

// Returns what `tracectl help columns` prints.
std::string columnsHelp();

// Returns the names of the commands that are meant for people.
std::vector<std::string> verbNames(const CLI::App& app);

// Returns a script that completes commands and options for bash, zsh or fish;
// absent for any other shell.
std::optional<std::string> completionScript(const CLI::App& app,
                                            const std::string& shell);

// Returns the name with the smallest edit distance (insert, delete, replace,
// swap neighbours); the first of several. Absent if the distance exceeds a
// third of the letters.
std::optional<std::string> nearestName(const std::string& name,
                                       const std::vector<std::string>& names);

// Returns, for example, ", did you mean report?"; "" if no name is similar.
std::string didYouMean(const std::string& name,
                       const std::vector<std::string>& names);

}  // namespace traced
