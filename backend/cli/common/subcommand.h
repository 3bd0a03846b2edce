// Subcommand is one verb of tracectl. A verb has a room of its own, its maker
// below and one line in main.cc.

#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/common/complain.h"

namespace traced {

class Subcommand {
 public:
  virtual ~Subcommand() = default;

  // Declares arguments and options. They are filled in before run().
  virtual void declare(CLI::App& app) = 0;

  // Writes data to stdout and words to stderr.
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
// Outlives the processes of a job and saves what they leave.
std::unique_ptr<Subcommand> makeKeep();
std::unique_ptr<Subcommand> makeLs();
std::unique_ptr<Subcommand> makeMerge();
std::unique_ptr<Subcommand> makeRecover();
std::unique_ptr<Subcommand> makeReport();
// Lists the chunks that only rings hold, for readers in other languages; see
// docs/reference/format.md.
std::unique_ptr<Subcommand> makeRings();
std::unique_ptr<Subcommand> makeServe();
std::unique_ptr<Subcommand> makeShow();
std::unique_ptr<Subcommand> makeTree();

}  // namespace traced
