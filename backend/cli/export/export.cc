#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/merge/pending_file.h"
#include "cli/common/complain.h"
#include "cli/common/heading.h"
#include "cli/common/part_options.h"
#include "cli/common/subcommand.h"
#include "cli/export/export_rows.h"
#include "cli/export/job_exporter.h"
#include "cli/export/tables/tables.h"
#include "cli/export/view_option.h"
#include "cli/inputs/inputs.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

// Returns the format with this name, or nullptr.
template <typename Format>
const Format* named(absl::Span<const Format> formats, const std::string& name) {
  const auto found =
      std::find_if(formats.begin(), formats.end(),
                   [&](const Format& one) { return name == one.name; });
  return found == formats.end() ? nullptr : &*found;
}

std::vector<std::string> namesOf(const std::vector<const TableSpec*>& tables) {
  std::vector<std::string> names;
  for (const TableSpec* table : tables) names.emplace_back(table->name);
  return names;
}

// Parquet is neither a format of rows in one file nor one of another tool.
constexpr const char* kParquet = "parquet";
constexpr const char* kOperations = "operations";

// Returns the format for a file's extension: csv without one, nullptr if the
// extension is unknown.
const char* formatOfName(const std::string& path) {
  constexpr std::pair<const char*, const char*> kExtensions[] = {
      {".csv", "csv"},
      {".jsonl", "jsonl"},
      {".txt", "text"},
      {".pftrace", "perfetto"},
      {".perfetto-trace", "perfetto"}};
  for (const auto& [extension, format] : kExtensions) {
    if (path.ends_with(extension)) return format;
  }
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  const bool bare =
      dot == std::string::npos || (slash != std::string::npos && dot < slash);
  return bare ? "csv" : nullptr;
}

class Export : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    std::vector<std::string> names;
    std::string what;
    const auto add = [&](const auto& format) {
      names.emplace_back(format.name);
      absl::StrAppend(&what, what.empty() ? "" : "; ", format.name, ": ",
                      format.what);
    };
    for (const RowFormat& format : rowFormats()) add(format);
    for (const JobFormat& format : jobFormats()) add(format);
    add(JobFormat{kParquet, "tables for DuckDB, Polars and Spark", nullptr});
    format_option_ = app.add_option("--format", format_, what)
                         ->check(CLI::IsMember(names))
                         ->capture_default_str();
    inputs_.declareAttempt(app);
    scope_.declare(app);
    window_.declare(app);
    view_.declare(app);
    app.add_option("-o,--output", output_,
                   "The file to write instead of standard output; a new folder "
                   "for formats with one file per rank");
    app.add_flag("--force", force_, "Replace an existing file");
    app.add_option(
           "--table", table_,
           "For csv and jsonl: the table to write (docs/reference/tables.md)")
        ->check(CLI::IsMember(namesOf(allTables())))
        ->capture_default_str();
    app.add_flag_callback(
        "--columns",
        [] {
          std::cout << columnsJson();
          throw CLI::Success();
        },
        "Print all tables and their columns as JSON, and read no traces");
    app.add_flag("--spreadsheet", for_spreadsheet_,
                 "For csv: write an apostrophe before text that a spreadsheet "
                 "would read as a formula");
    app.footer("Example: tracectl export run42/ --format csv -o run42.csv");
  }

  ExitCode run() override {
    if (format_option_->count() == 0 && !output_.empty()) {
      const char* format = formatOfName(output_);
      if (!format) {
        return refuse(absl::StrCat("-o ", output_,
                                   ": unknown extension; name a --format"));
      }
      format_ = format;
    }
    job_format_ = named(jobFormats(), format_);
    const bool to_file = !output_.empty() && !toFolder();
    if (to_file && !mayWrite(output_, force_)) return ExitCode::kUsage;
    const std::string refused = refusedOptions();
    if (!refused.empty()) return refuse(refused);
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    RunSummary summary;
    if (isParquet()) return conclude(*set, summary, parquet(*set, summary));
    if (job_format_) {
      RunOverview overview = overviewOf(*set);
      const std::string unknown = view_.unknownIn(overview);
      if (!unknown.empty()) return refuse(unknown);
      summary = overview.summary;
      job_view_ = viewOf(*set, std::move(overview));
    }
    return conclude(*set, summary, write(*set, summary));
  }

 private:
  ExitCode conclude(const TraceSet& set, const RunSummary& summary,
                    const std::string& problem) const {
    if (!problem.empty()) {
      complain(problem);
      return ExitCode::kInternal;
    }
    const ExitCode code = inputs_.conclude(allWarnings(set, summary));
    if (!output_.empty()) complain(absl::StrCat("wrote ", output_));
    reportNotes(summary);
    return code;
  }

  bool isParquet() const { return format_ == kParquet; }
  bool toFolder() const {
    return isParquet() ||
           (job_format_ && job_format_->as == ExportedAs::kFolder);
  }

  // Explains why options exclude each other. Returns "" if they do not.
  std::string refusedOptions() const {
    if (isParquet() || otherTable()) {
      const std::string refused = refusedOfTables();
      if (!refused.empty()) return refused;
    }
    if (!job_format_) {
      if (!view_.given()) return "";
      return absl::StrCat("--ranks, --groups and --last are not for --format ",
                          format_, ": choose among its rows");
    }
    if (!job_format_->make) {
      return absl::StrCat("this tracectl was built without what --format ",
                          format_, " takes (docs/use/export.md)");
    }
    if (toFolder()) return refusedOfFolder("a file per rank");
    if (!output_.empty() || job_format_->is_text) return "";
    if (::isatty(STDOUT_FILENO) != 1) return "";
    return absl::StrCat("--format ", format_,
                        " is nothing to read on a terminal: name a file with "
                        "-o");
  }

  std::string refusedOfFolder(const char* of) const {
    if (output_.empty()) {
      return absl::StrCat("--format ", format_, " writes ", of,
                          ": name a new folder with -o");
    }
    return force_ ? "--force is not for a folder: name a new one with -o" : "";
  }

  // Returns whether --table names another table than "operations".
  bool otherTable() const { return table_ != kOperations; }

  // Explains which option does not apply to Parquet or to another table; "" if
  // all do.
  std::string refusedOfTables() const {
    const RowFormat* rows = named(rowFormats(), format_);
    if (otherTable() && !(rows && rows->any_table)) {
      return absl::StrCat("--table is for csv and jsonl, not for --format ",
                          format_);
    }
    if (view_.given() || !window_.window().all() ||
        scope_.scope() != ReportedScope::kAll) {
      return absl::StrCat(otherTable() ? "--table " : "--format ",
                          otherTable() ? table_ : format_,
                          " has the whole run: choose among its rows");
    }
    return otherTable() ? "" : refusedOfFolder("several tables");
  }

  std::string parquet(const TraceSet& set, RunSummary& summary) const {
    const std::string refused = whyNoNewFolder(output_);
    return refused.empty() ? writeParquet(set, output_, summary) : refused;
  }

  std::unique_ptr<JobView> viewOf(const TraceSet& set,
                                  RunOverview overview) const {
    ViewSelection selection = view_.selection();
    selection.scope = scope_.scope();
    selection.window = window_.window();
    selection.most_operations = job_format_->most_operations;
    return std::make_unique<JobView>(set, std::move(overview), selection);
  }

  // Writes the export. Returns "" or the error as a sentence.
  std::string write(const TraceSet& set, RunSummary& summary) {
    if (toFolder()) {
      ExportedFolder folder(output_);
      if (folder.finish()) writeJob(folder);
      return folder.finish() ? "" : folder.problem();
    }
    if (output_.empty()) {
      writeFile(std::cout, set, summary);
      return "";
    }
    PendingFile file(output_, force_ ? Existing::kReplaced : Existing::kKept);
    writeFile(file.stream(), set, summary);
    return file.commit() ? "" : file.problem();
  }

  void writeFile(std::ostream& out, const TraceSet& set, RunSummary& summary) {
    if (!job_format_) return writeRows(out, set, summary);
    OneExportedFile file(out);
    writeJob(file);
  }

  void writeJob(ExportedFiles& files) {
    const std::unique_ptr<JobExporter> exporter = job_format_->make();
    exporter->write(files, *job_view_);
    writers_note_ = exporter->note();
  }

  void writeRows(std::ostream& out, const TraceSet& set, RunSummary& summary) {
    const auto writer = named(rowFormats(), format_)->make(rowReader());
    if (otherTable()) {
      writeTable(out, *writer, table_.c_str(), set, summary);
    } else {
      left_out_ = writeExport(out, *writer, set,
                              {scope_.scope(), window_.window()}, summary);
    }
    writers_note_ = writer->note();
  }

  RowReader rowReader() const {
    if (for_spreadsheet_) return RowReader::kSpreadsheet;
    const bool on_terminal = output_.empty() && ::isatty(STDOUT_FILENO) == 1;
    return on_terminal ? RowReader::kTerminal : RowReader::kProgram;
  }

  // Prints notes for the reader of the export to stderr.
  void reportNotes(const RunSummary& summary) const {
    const auto note = [](const std::string& text) {
      if (!text.empty())
        std::cerr << "tracectl: note: " << printable(text) << "\n";
    };
    note(writers_note_);
    note(fromRingsText(summary));
    note(pausesText(summary.pauses()));
    if (const std::uint64_t left_out = summary.leftOut().operations) {
      note(absl::StrCat(countOf(left_out, "operation"),
                        " not recorded (TRACED_SCOPE)"));
    }
    if (job_view_) return note(leftOutText(*job_view_));
    note(scopeText(scope_.scope(), left_out_.of_scope));
    note(windowText(window_.window(), left_out_.of_window));
  }

  CLI::Option* format_option_ = nullptr;
  Inputs inputs_;
  ScopeOption scope_;
  WindowOption window_;
  ViewOption view_;
  LeftOutOfExport left_out_;
  std::string format_ = "csv";
  std::string table_ = kOperations;
  // The format, if it shows matched operations, else nullptr.
  const JobFormat* job_format_ = nullptr;
  std::unique_ptr<JobView> job_view_;
  std::string output_;
  bool force_ = false;
  bool for_spreadsheet_ = false;
  std::string writers_note_;
};

}  // namespace

std::unique_ptr<Subcommand> makeExport() { return std::make_unique<Export>(); }

}  // namespace traced
