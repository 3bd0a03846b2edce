// Subcommand is one verb of tracectl. A verb is one file pair and one line in
// main.cc.

#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/common/exit_code.h"

namespace traced {

class Subcommand {
 public:
  virtual ~Subcommand() = default;

  // Declares arguments and options. They are filled in before run().
  virtual void declare(CLI::App& app) = 0;

  // Writes data to stdout and words to stderr.
  virtual ExitCode run() = 0;
};

}  // namespace traced
