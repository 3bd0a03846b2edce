#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analysis/stream/names.h"
#include "cli/common/heading.h"
#include "cli/common/part_options.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "cli/tree/tree_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::size_t kHeadingLines = 2;

// Phases in execution order; the unknown phase is last.
constexpr v1::Phase kPhases[] = {v1::PHASE_FORWARD, v1::PHASE_BACKWARD,
                                 v1::PHASE_RECOMPUTE, v1::PHASE_OPTIMIZER,
                                 v1::PHASE_UNSPECIFIED};

class TreeTable {
 public:
  explicit TreeTable(const TreeOutput& output) : output_(output) {
    for (const v1::Phase phase : kPhases) {
      const ModuleNode& root = output_.tree.root();
      if (root.phases[phase].calls > 0) phases_.push_back(phase);
    }
    table_.addColumn("\nmodule", Table::Align::kLeft);
    if (output_.level > 0) table_.addColumn("\nclass", Table::Align::kLeft);
    for (const v1::Phase phase : phases_) {
      table_.addColumn(absl::StrCat(phaseName(phase), "\ncalls"));
      table_.addColumn("\nbytes");
    }
    if (output_.level < 2) return;
    for (const char* heading : {"host\nms", "completion\nms", "wait\nms"}) {
      table_.addColumn(heading);
    }
  }

  std::string text(bool colours) {
    addNode(ModuleTree::kRoot, 0);
    if (!colours) return table_.text();
    std::vector<std::string> lines = absl::StrSplit(table_.text(), '\n');
    for (std::size_t row = 0; row < is_call_.size(); ++row) {
      std::string& line = lines[kHeadingLines + row];
      if (is_call_[row]) line = yellow(line, colours);
    }
    return absl::StrJoin(lines, "\n");
  }

 private:
  void addNode(std::size_t index, std::size_t depth) {
    const ModuleNode& node = output_.tree.nodes()[index];
    addRow(std::string(2 * depth, ' ') + printable(node.name),
           printable(node.module_type), node.phases, false);
    if (output_.level > 0) addCalls(node, depth + 1);
    for (const std::size_t child : node.children) addNode(child, depth + 1);
  }

  // Adds one row for calls that differ only in their phase.
  void addCalls(const ModuleNode& node, std::size_t depth) {
    std::map<std::string, decltype(node.phases)> rows;
    for (const auto& [call, sums] : node.calls) {
      rows[callText(call)][call.phase].add(sums);
    }
    for (const auto& [text, phases] : rows) {
      addRow(absl::StrCat(std::string(2 * depth, ' '), "* ", text), "", phases,
             true);
    }
  }

  static std::string callText(const ModuleCall& call) {
    std::string text = call.op;
    for (const std::string* part :
         {&call.group, &call.dtype, &call.size, &call.shape}) {
      if (!part->empty()) absl::StrAppend(&text, " ", *part);
    }
    if (!call.reason.empty()) absl::StrAppend(&text, " (", call.reason, ")");
    return printable(text);
  }

  void addRow(std::string name, std::string type,
              const decltype(ModuleNode::phases)& phases, bool is_call) {
    std::vector<std::string> cells = {std::move(name)};
    if (output_.level > 0) cells.push_back(std::move(type));
    ModuleSums all;
    for (const ModuleSums& sums : phases) all.add(sums);
    for (const v1::Phase phase : phases_) {
      const ModuleSums& sums = phases[phase];
      const bool any = sums.calls > 0;
      cells.push_back(any ? groupedText(sums.calls) : "");
      cells.push_back(any ? bytesText(sums.bytes) : "");
    }
    if (output_.level >= 2) {
      cells.push_back(totalCell(all.host));
      cells.push_back(totalCell(all.completion));
      cells.push_back(totalCell(all.wait, all.waits_unknown));
    }
    table_.addRow(std::move(cells));
    is_call_.push_back(is_call);
  }

  const TreeOutput& output_;
  Table table_;
  std::vector<v1::Phase> phases_;
  std::vector<bool> is_call_;
};

}  // namespace

std::string phaseName(std::size_t phase) {
  return phase == v1::PHASE_UNSPECIFIED ? "other"
                                        : nameOf(static_cast<v1::Phase>(phase));
}

namespace {

// Returns true if module recording was enabled on all included ranks.
bool recordsModules(const TreeOutput& output) {
  const absl::flat_hash_set<std::uint32_t> ranks(output.ranks.begin(),
                                                 output.ranks.end());
  return std::all_of(output.set.selected.begin(), output.set.selected.end(),
                     [&](std::size_t i) {
                       const TraceStream& stream = output.set.streams[i];
                       if (!ranks.contains(stream.header.rank())) return true;
                       const v1::Header header = wholeHeader(stream);
                       const auto& settings = header.settings();
                       const auto found = settings.find("TRACED_MODULES");
                       return found != settings.end() && found->second == "1";
                     });
}

}  // namespace

std::vector<std::string> treeNotes(const TreeOutput& output) {
  std::vector<std::string> notes;
  if (output.tree.placed() == 0) {
    notes.emplace_back(
        recordsModules(output)
            ? "modules were recorded (TRACED_MODULES=1), and no operation was "
              "issued while one of them ran"
            : "no operation is known to be of a module: record with "
              "TRACED_MODULES=1 or traced.track_modules(model)");
  }
  if (!output.window.all()) {
    notes.push_back(windowText(output.window, output.out_of_window));
  }
  if (output.tree.cut() > 0) {
    notes.push_back(absl::StrCat(
        "the tree has as many modules as are shown; what ", output.tree.cut(),
        " more issued is of those around them"));
  }
  return notes;
}

std::string treeText(const TreeOutput& output, bool colours) {
  std::string text = headingText(output.title, output.set, output.summary);
  absl::StrAppend(&text, "\nOperations of ",
                  output.ranks.size() == 1
                      ? absl::StrCat("rank ", output.ranks.front())
                      : countOf(output.ranks.size(), "rank"),
                  ".\n\n", TreeTable(output).text(colours));
  const std::vector<std::string> notes = treeNotes(output);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) absl::StrAppend(&text, note, ".\n");
  return text;
}

}  // namespace traced
