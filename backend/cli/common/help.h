// How tracectl explains itself.

#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/subcommand.h"

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

// The verbs that are for people, by their names.
std::vector<std::string> verbNames(const CLI::App& app);

// tracectl help [VERB], and tracectl completion SHELL.
std::unique_ptr<Subcommand> makeHelp();
std::unique_ptr<Subcommand> makeCompletion();

}  // namespace traced
