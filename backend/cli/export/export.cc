#include "cli/export/export.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/clocks/align_clocks.h"
#include "analysis/job/group_catalog.h"
#include "analysis/merge/pending_file.h"
#include "analysis/reading/stream_loader.h"
#include "cli/common/heading.h"
#include "cli/common/scope_option.h"
#include "cli/common/text.h"
#include "cli/common/window_option.h"
#include "cli/export/export_writer.h"
#include "cli/inputs/inputs.h"
#include "trace_io/correlation.h"

namespace traced {
namespace {

// A group says in a dozen bytes that it has 16 million members.
constexpr std::uint64_t kMostHashedMembers = 4'000'000;

// 0: the group has none. A dump does not tell all that identifies a group.
std::vector<std::uint64_t> groupHashes(const StreamTable& table) {
  std::vector<std::uint64_t> hashes;
  std::uint64_t hashed = 0;
  for (const GroupDefinition& group : table.definitions.groups()) {
    hashed += group.members.size();
    const bool known = !group.by_name && group.members.size() > 0;
    if (!known || hashed > kMostHashedMembers) {
      hashes.push_back(0);
      continue;
    }
    GroupHash hash(table.header.attempt(), group.leg, group.nth);
    group.members.forEach([&](std::uint32_t rank) { hash.add(rank); });
    hashes.push_back(hash.value());
  }
  return hashes;
}

// The calls of a rank that are in the scope, in the order of their issue.
std::vector<ExportedCall> callsOf(const StreamTable& table,
                                  const ScopeFilter& scope,
                                  const GroupCatalog& groups,
                                  const std::vector<std::uint32_t>& indices,
                                  const v1::ClockModel& clock,
                                  const WindowFilter& window) {
  const std::vector<std::uint64_t> hashes = groupHashes(table);
  std::vector<ExportedCall> calls;
  calls.reserve(table.operations.size());
  for (const AssembledOperation& op : table.operations) {
    if (!scope.holds(op) || !window.holds(op)) continue;
    const v1::Call* call = table.callOf(op);
    const std::uint32_t local =
        call ? table.groupOf(*call) : StreamDefinitions::kNone;
    const bool known = local != StreamDefinitions::kNone;
    calls.push_back(
        {table, op, call,
         groups.label(known ? indices[local] : GroupCatalog::kNone),
         known ? table.definitions.groups()[local].members.size() : 0,
         known ? hashes[local] : 0, clock});
  }
  return calls;
}

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
    const std::string scope = scopeText(scope_.scope(), out_of_scope_);
    if (!scope.empty()) std::cerr << "note: " << scope << "\n";
    const std::string window = windowText(window_.window(), out_of_window_);
    if (!window.empty()) std::cerr << "note: " << window << "\n";
    return code;
  }

 private:
  // Rank by rank: only one is in memory.
  void writeAll(std::ostream& out, const TraceSet& set, RunSummary& summary) {
    const std::unique_ptr<ExportWriter> writer = makeWriter();
    const NodeIndex nodes(set);
    AlignedClocks clocks = alignClocks(set);
    summary.setClockWarnings(std::move(clocks.warnings));
    const RunWindow window = window_.window();
    const std::int64_t first_ns = firstStartNs(set, clocks.models);
    GroupCatalog groups;
    StreamLoader loader(set);
    writer->begin(out);
    for (std::size_t i = 0; i < set.selected.size() && out.good(); ++i) {
      StreamTable table = loader.load(set.streams[set.selected[i]]);
      std::sort(table.operations.begin(), table.operations.end(),
                [](const AssembledOperation& a, const AssembledOperation& b) {
                  return a.id < b.id;
                });
      const std::vector<std::uint32_t> indices =
          groups.add(table.header.attempt(), table.definitions.groups());
      summary.add(table);
      const ScopeFilter scope(scope_.scope(), nodes, table);
      const v1::ClockModel& clock = clocks.models[set.selected[i]];
      const WindowFilter in_window(window, table, clock, first_ns);
      const std::vector<ExportedCall> calls =
          callsOf(table, scope, groups, indices, clock, in_window);
      count(table, scope, in_window);
      writer->addRank(out, table, calls);
    }
    writers_note_ = writer->note();
  }

  void count(const StreamTable& table, const ScopeFilter& scope,
             const WindowFilter& window) {
    for (const AssembledOperation& op : table.operations) {
      if (!scope.holds(op)) {
        ++out_of_scope_;
      } else if (!window.holds(op)) {
        ++out_of_window_;
      }
    }
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
  std::uint64_t out_of_scope_ = 0;
  std::uint64_t out_of_window_ = 0;
  std::string format_ = "csv";
  std::string output_;
  bool force_ = false;
  bool for_spreadsheet_ = false;
  std::string writers_note_;
};

}  // namespace

std::unique_ptr<Subcommand> makeExport() { return std::make_unique<Export>(); }

}  // namespace traced
