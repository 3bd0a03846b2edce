// tracectl reads traces. This file only parses the command line and dispatches.

#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/common/help.h"
#include "cli/common/subcommand.h"
#include "phrasing/text.h"

namespace traced {
namespace {

struct Verb {
  const char* name;
  const char* summary;
  std::unique_ptr<Subcommand> (*make)();
  // Meant for programs: omitted from the help.
  bool hidden = false;
};

constexpr Verb kVerbs[] = {
    {"ls", "List runs and how each ended", makeLs},
    {"info", "Show the ranks, hosts, settings and losses of a run", makeInfo},
    {"merge", "Merge the traces of all ranks into one file", makeMerge},
    {"recover", "Recover records of killed processes from shared memory",
     makeRecover},
    {"report", "Report the cost of communication by operation, line, step, ...",
     makeReport},
    {"tree", "Show the communication of each module of the program", makeTree},
    {"diagnose", "Find hangs, mismatches and stragglers: who, where, why",
     makeDiagnose},
    {"whatif", "Estimate how long a run would take without a cause of delay",
     makeWhatIf},
    {"show", "Show single operations, one column per rank", makeShow},
    {"export", "Export operations: CSV, JSON lines, Parquet, Perfetto, ...",
     makeExport},
    {"check", "Check a run against a budget, for CI", makeCheck},
    {"compare",
     "Compare two sets of runs and report what became slower, for CI",
     makeCompare},
    {"serve", "Serve metrics and alerts of the jobs on this host", makeServe},
    {"ctl", "Change settings of a job while it runs", makeCtl},
    {"help", "Explain a command, or the columns of tables", makeHelp},
    {"completion", "Print a completion script for bash, zsh or fish",
     makeCompletion},
    {"keep", "Wait for the processes of a job and save their records", makeKeep,
     true},
    {"rings", "Print records in shared memory that are not yet in files",
     makeRings, true},
};

constexpr char kFooter[] =
    "Examples:\n"
    "  tracectl report run42/\n"
    "  tracectl show run42/ --groups dp --last 5\n"
    "  tracectl diagnose run42/\n"
    "  tracectl check run42/ --budget ci/comm-budget.toml\n"
    "  tracectl info run42/ --json | jq .ranks[].dropped\n"
    "\n"
    "Exit status: 0 fine, 1 findings (or warnings, with --strict), 2 usage,\n"
    "3 nothing readable, 4 internal, 5 not measured.";

// Escapes the text, because error messages repeat the command line, which may
// contain anything.
void writePrintable(std::ostream& out, const std::string& text) {
  for (const absl::string_view line :
       absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    out << printable({line.data(), line.size()}) << "\n";
  }
}

ExitCode explain(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  const int code = app.exit(error, out, err);
  if (!out.str().empty()) writePrintable(std::cout, out.str());
  if (!err.str().empty()) writePrintable(std::cerr, err.str());
  return code == 0 ? ExitCode::kFine : ExitCode::kUsage;
}

// Returns the option's name: "--last" for "--last=5"; "" if the argument is not
// an option.
std::string optionIn(const std::string& argument) {
  return argument.starts_with("-") ? argument.substr(0, argument.find('='))
                                   : "";
}

std::vector<std::string> optionNames(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// Reports an unknown command or option, and the probable one.
ExitCode refuseUnknown(const std::string& what, const std::string& meant,
                       const std::string& help) {
  std::cerr << "tracectl: unknown " << printable(what) << meant << "\n"
            << "Run `" << help << "` for the list.\n";
  return ExitCode::kUsage;
}

ExitCode refuseVerb(const CLI::App& app, const std::string& name) {
  return refuseUnknown("command \"" + name + "\"",
                       didYouMean(name, verbNames(app)), "tracectl help");
}

// Reports arguments that no option or command accepts.
ExitCode refuseExtras(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::App* verb : app.get_subcommands()) {
    for (const std::string& argument : verb->remaining()) {
      const std::string option = optionIn(argument);
      if (option.empty()) continue;
      return refuseUnknown(
          "option " + option + " of tracectl " + verb->get_name(),
          didYouMean(option, optionNames(*verb)),
          "tracectl help " + verb->get_name());
    }
  }
  return explain(app, error);
}

void setUp(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("-V,--version", "tracectl " TRACED_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
}

ExitCode dispatch(int argc, char** argv) {
  CLI::App app("Reads traces of PyTorch distributed jobs.", "tracectl");
  setUp(app);
  std::vector<std::unique_ptr<Subcommand>> subcommands;
  std::vector<CLI::App*> parsers;
  for (const Verb& verb : kVerbs) {
    subcommands.push_back(verb.make());
    parsers.push_back(app.add_subcommand(verb.name, verb.summary));
    if (verb.hidden) parsers.back()->group("");
    subcommands.back()->declare(*parsers.back());
  }
  if (argc < 2) {
    std::cerr << "tracectl: no command, such as `tracectl diagnose traces`\n"
                 "Run `tracectl help` for the list of commands.\n";
    return ExitCode::kUsage;
  }
  const std::string first = argv[1];
  const std::vector<std::string> verbs = verbNames(app);
  const bool hidden = std::any_of(
      std::begin(kVerbs), std::end(kVerbs),
      [&](const Verb& verb) { return verb.hidden && verb.name == first; });
  const bool known =
      std::find(verbs.begin(), verbs.end(), first) != verbs.end();
  if (!first.starts_with("-") && !known && !hidden) {
    return refuseVerb(app, first);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    return refuseExtras(app, error);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  for (std::size_t i = 0; i < parsers.size(); ++i) {
    if (parsers[i]->parsed()) return subcommands[i]->run();
  }
  return ExitCode::kInternal;
}

// Runs the command. A closed pipe ends the program silently, because `tracectl
// ... | head` is no error.
ExitCode run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  // tracectl reports damage itself.
  google::protobuf::SetLogHandler(nullptr);
  std::ios::sync_with_stdio(false);
  try {
    const ExitCode code = dispatch(argc, argv);
    if (std::cout.flush()) return code;
    std::cerr << "tracectl: cannot write to standard output\n";
  } catch (const std::exception& error) {
    std::cerr << "tracectl: internal error: " << printable(error.what())
              << "\n";
  }
  return ExitCode::kInternal;
}

}  // namespace
}  // namespace traced

int main(int argc, char** argv) {
  return static_cast<int>(traced::run(argc, argv));
}
