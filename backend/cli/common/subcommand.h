// Subcommand is one command of tracectl. Each has its own folder, its factory
// below and one line in main.cc.

#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/common/complain.h"

namespace traced {

class Subcommand {
 public:
  virtual ~Subcommand() = default;

  // Declares arguments and options. CLI11 fills them in before run().
  virtual void declare(CLI::App& app) = 0;

  // Runs the command. Writes data to stdout and messages to stderr.
  virtual ExitCode run() = 0;
};

std::unique_ptr<Subcommand> makeCheck();
std::unique_ptr<Subcommand> makeCompare();
std::unique_ptr<Subcommand> makeCompletion();
std::unique_ptr<Subcommand> makeCtl();
std::unique_ptr<Subcommand> makeDiagnose();
std::unique_ptr<Subcommand> makeExport();
std::unique_ptr<Subcommand> makeHelp();
std::unique_ptr<Subcommand> makeInfo();
// Returns the keeper, which outlives the processes of a job and saves their
// remaining records.
std::unique_ptr<Subcommand> makeKeep();
std::unique_ptr<Subcommand> makeLs();
std::unique_ptr<Subcommand> makeMerge();
std::unique_ptr<Subcommand> makeRecover();
std::unique_ptr<Subcommand> makeReport();
// Returns the command that lists chunks which only rings hold, for readers in
// other languages. See docs/reference/format.md.
std::unique_ptr<Subcommand> makeRings();
std::unique_ptr<Subcommand> makeServe();
std::unique_ptr<Subcommand> makeShow();
std::unique_ptr<Subcommand> makeTree();
std::unique_ptr<Subcommand> makeWhatIf();

}  // namespace traced
