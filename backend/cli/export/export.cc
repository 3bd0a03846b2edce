#include "cli/export/export.h"

#include <unistd.h>

#include <iostream>
#include <string>

#include "analysis/merge/pending_file.h"
#include "cli/common/heading.h"
#include "cli/common/scope_option.h"
#include "cli/common/text.h"
#include "cli/common/window_option.h"
#include "cli/export/export_rows.h"
#include "cli/inputs/inputs.h"

namespace traced {
namespace {

class Export : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    app.add_option("--format", format_, "csv, jsonl or text")
        ->check(CLI::IsMember({"csv", "jsonl", "text"}))
        ->capture_default_str();
    inputs_.declareAttempt(app);
    scope_.declare(app);
    window_.declare(app);
    app.add_option("-o,--output", output_,
                   "The file to write, instead of standard output");
    app.add_flag("--force", force_, "Replace the file if it is there");
    app.add_flag("--spreadsheet", for_spreadsheet_,
                 "Of csv: text that a spreadsheet would take for a formula "
                 "begins with an apostrophe");
    app.footer("Example: tracectl export run42/ --format csv -o run42.csv");
  }

  ExitCode run() override {
    const bool to_file = !output_.empty();
    if (to_file && !force_ && isTaken(output_)) {
      std::cerr << "tracectl: " << printable(output_)
                << ": exists; --force replaces it\n";
      return ExitCode::kUsage;
    }
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    RunSummary summary;
    if (!to_file) {
      writeAll(std::cout, *set, summary);
    } else {
      PendingFile file(output_, force_ ? Existing::kReplaced : Existing::kKept);
      writeAll(file.stream(), *set, summary);
      if (!file.commit()) {
        std::cerr << "tracectl: " << printable(file.problem()) << "\n";
        return ExitCode::kInternal;
      }
    }
    const ExitCode code = inputs_.conclude(allWarnings(*set, summary));
    if (!writers_note_.empty()) std::cerr << "note: " << writers_note_ << "\n";
    const std::string from_rings = fromRingsText(summary);
    if (!from_rings.empty()) std::cerr << "note: " << from_rings << "\n";
    const std::string paused = pausesText(summary.pauses());
    if (!paused.empty()) std::cerr << "note: " << paused << "\n";
    if (const std::uint64_t left_out = summary.leftOut().operations) {
      std::cerr << "note: " << countOf(left_out, "operation")
                << " not recorded (TRACED_SCOPE)\n";
    }
    const std::string scope = scopeText(scope_.scope(), left_out_.of_scope);
    if (!scope.empty()) std::cerr << "note: " << scope << "\n";
    const std::string window =
        windowText(window_.window(), left_out_.of_window);
    if (!window.empty()) std::cerr << "note: " << window << "\n";
    return code;
  }

 private:
  void writeAll(std::ostream& out, const TraceSet& set, RunSummary& summary) {
    const std::unique_ptr<ExportWriter> writer = makeWriter();
    left_out_ = writeExport(out, *writer, set,
                            {scope_.scope(), window_.window()}, summary);
    writers_note_ = writer->note();
  }

  std::unique_ptr<ExportWriter> makeWriter() const {
    if (format_ == "jsonl") return makeJsonlWriter();
    if (format_ == "text") return makeTextWriter();
    if (for_spreadsheet_) return makeCsvWriter(CsvReader::kSpreadsheet);
    const bool for_terminal = output_.empty() && ::isatty(STDOUT_FILENO) == 1;
    return makeCsvWriter(for_terminal ? CsvReader::kTerminal
                                      : CsvReader::kProgram);
  }

  Inputs inputs_;
  ScopeOption scope_;
  WindowOption window_;
  LeftOutOfExport left_out_;
  std::string format_ = "csv";
  std::string output_;
  bool force_ = false;
  bool for_spreadsheet_ = false;
  std::string writers_note_;
};

}  // namespace

std::unique_ptr<Subcommand> makeExport() { return std::make_unique<Export>(); }

}  // namespace traced
