// Scripts that teach a shell to complete the verbs and options of tracectl,
// made from the very parser that reads them.

#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace traced {

// For bash, zsh or fish; absent for any other shell.
std::optional<std::string> completionScript(const CLI::App& app,
                                            const std::string& shell);

}  // namespace traced
