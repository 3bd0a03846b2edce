#include "cli/export/export.h"

#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/merge/pending_file.h"
#include "cli/common/heading.h"
#include "cli/common/scope_option.h"
#include "cli/common/text.h"
#include "cli/common/window_option.h"
#include "cli/export/export_rows.h"
#include "cli/export/exported_files.h"
#include "cli/export/job_exporter.h"
#include "cli/export/view_option.h"
#include "cli/inputs/inputs.h"

namespace traced {
namespace {

class Export : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    std::vector<std::string> names = {"csv", "jsonl", "text"};
    std::string what = "csv, jsonl or text: a row per operation";
    for (const JobFormat& format : jobFormats()) {
      names.emplace_back(format.name);
      what += absl::StrCat("; ", format.name, ": ", format.what);
    }
    app.add_option("--format", format_, what)
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    inputs_.declareAttempt(app);
    scope_.declare(app);
    window_.declare(app);
    view_.declare(app);
    app.add_option(
        "-o,--output", output_,
        "The file to write, instead of standard output; a new folder "
        "for formats of a file per rank");
    app.add_flag("--force", force_, "Replace the file if it is there");
    app.add_flag("--spreadsheet", for_spreadsheet_,
                 "Of csv: text that a spreadsheet would take for a formula "
                 "begins with an apostrophe");
    app.footer("Example: tracectl export run42/ --format csv -o run42.csv");
  }

  ExitCode run() override {
    const bool to_file = !output_.empty();
    const JobFormat* job_format = jobFormatNamed(format_);
    const bool to_folder = job_format && job_format->as == ExportedAs::kFolder;
    if (to_file && !to_folder && !force_ && isTaken(output_)) {
      std::cerr << "tracectl: " << printable(output_)
                << ": exists; --force replaces it\n";
      return ExitCode::kUsage;
    }
    const std::string refused = refusedOptions(job_format);
    if (!refused.empty()) {
      std::cerr << "tracectl: " << refused << "\n";
      return ExitCode::kUsage;
    }
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    RunSummary summary;
    std::unique_ptr<JobView> view;
    if (job_format) {
      RunOverview overview = overviewOf(*set);
      const std::string unknown = view_.unknownIn(overview);
      if (!unknown.empty()) {
        std::cerr << "tracectl: " << printable(unknown) << "\n";
        return ExitCode::kUsage;
      }
      summary = overview.summary;
      view = viewOf(*set, std::move(overview), *job_format);
    }
    const auto writeTo = [&](std::ostream& out) {
      if (view) {
        OneExportedFile file(out);
        writeJob(file, *view, *job_format);
      } else {
        writeAll(out, *set, summary);
      }
    };
    if (to_folder) {
      ExportedFolder folder(output_);
      if (folder.finish()) writeJob(folder, *view, *job_format);
      if (!folder.finish()) {
        std::cerr << "tracectl: " << printable(folder.problem()) << "\n";
        return ExitCode::kInternal;
      }
    } else if (!to_file) {
      writeTo(std::cout);
    } else {
      PendingFile file(output_, force_ ? Existing::kReplaced : Existing::kKept);
      writeTo(file.stream());
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
    if (view) {
      const std::string left_out = leftOutText(*view);
      if (!left_out.empty()) {
        std::cerr << "note: " << printable(left_out) << "\n";
      }
      return code;
    }
    const std::string scope = scopeText(scope_.scope(), left_out_.of_scope);
    if (!scope.empty()) std::cerr << "note: " << scope << "\n";
    const std::string window =
        windowText(window_.window(), left_out_.of_window);
    if (!window.empty()) std::cerr << "note: " << window << "\n";
    return code;
  }

 private:
  // Why options do not go together; "" when they do.
  std::string refusedOptions(const JobFormat* job_format) const {
    if (!job_format) {
      if (!view_.given()) return "";
      return absl::StrCat("--ranks, --groups and --last are not for --format ",
                          format_, ": choose among its rows");
    }
    if (!job_format->make) {
      return absl::StrCat("this tracectl was built without what --format ",
                          format_, " takes (docs/export.md)");
    }
    if (job_format->as == ExportedAs::kFolder) {
      if (output_.empty()) {
        return absl::StrCat("--format ", format_,
                            " writes a file per rank: name a new folder with "
                            "-o");
      }
      return force_ ? "--force is not for a folder: name a new one with -o"
                    : "";
    }
    if (!output_.empty() || job_format->is_text) return "";
    if (::isatty(STDOUT_FILENO) != 1) return "";
    return absl::StrCat("--format ", format_,
                        " is nothing to read on a terminal: name a file with "
                        "-o");
  }

  std::unique_ptr<JobView> viewOf(const TraceSet& set, RunOverview overview,
                                  const JobFormat& format) const {
    ViewSelection selection = view_.selection();
    selection.scope = scope_.scope();
    selection.window = window_.window();
    selection.most_operations = format.most_operations;
    return std::make_unique<JobView>(set, std::move(overview), selection);
  }

  void writeJob(ExportedFiles& files, const JobView& view,
                const JobFormat& format) {
    const std::unique_ptr<JobExporter> exporter = format.make();
    exporter->write(files, view);
    writers_note_ = exporter->note();
  }

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
  ViewOption view_;
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
