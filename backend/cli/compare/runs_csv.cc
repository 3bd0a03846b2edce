#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/common/csv.h"
#include "cli/compare/append_run.h"
#include "cli/compare/compare_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Cell text, keyed by column name.
using Cells = std::map<std::string, std::string>;

// Columns used to sort and validate rows. Their cells are never quoted.
enum Leading : std::uint8_t { kTime, kRun, kRanks, kSteps, kLeading };

// Returns ISO 8601 in UTC, which sorts as text.
std::string timeText(std::int64_t realtime_ns) {
  const std::time_t seconds = realtime_ns / 1'000'000'000;
  const std::int64_t milliseconds = realtime_ns / 1'000'000 % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return absl::StrFormat("%s.%03dZ", text.data(), milliseconds);
}

// Returns the shortest text that reads as the same number.
std::string numberText(double value) {
  std::array<char, 32> text{};
  char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string columnOf(RunPart part) {
  return absl::StrCat(nameOf(part), isTime(part) ? "_ns" : "");
}

std::vector<std::string> firstColumns() {
  std::vector<std::string> columns = {"time",   "run", "ranks", "steps",
                                      "commit", "job", "facts"};
  for (std::size_t i = 0; i < kRunParts; ++i) {
    columns.push_back(columnOf(static_cast<RunPart>(i)));
  }
  return columns;
}

void addValues(const PartValues& values, const std::string& of, Cells& cells) {
  for (std::size_t i = 0; i < kRunParts; ++i) {
    if (!values[i]) continue;
    const std::string column = columnOf(static_cast<RunPart>(i));
    cells[absl::StrCat(column, of)] = numberText(*values[i]);
  }
}

Cells cellsOf(const RunFigures& run, const std::string& label) {
  const auto& ids = run.stream_ids;
  const auto least = std::min_element(ids.begin(), ids.end());
  Cells cells = {{"time", timeText(run.started_realtime_ns)},
                 {"run", absl::StrCat(absl::Hex(least == ids.end() ? 0 : *least,
                                                absl::kZeroPad16))},
                 {"ranks", absl::StrCat(run.world_size)},
                 {"steps", run.stepped ? run.steps : ""},
                 {"commit", printable(label)},
                 {"job", printable(run.job)},
                 {"facts", printable(absl::StrJoin(run.facts, "; ",
                                                   absl::PairFormatter(" ")))}};
  addValues(run.total, "", cells);
  for (const auto& [key, figures] : run.keys) {
    const std::string of = absl::StrCat(" of ", keyText(key, printable));
    addValues(figures.values, of, cells);
    if (RunFigures::at(figures.values, RunPart::kWaitForPeers)) {
      cells[absl::StrCat("wait_uncertain_ns", of)] =
          numberText(figures.uncertain_ns);
    }
  }
  return cells;
}

// Returns the cell for a figure that a run lacks. If the run has no calls of a
// kind, its calls and bytes are 0 and its times are unknown.
template <typename Columns>
const char* missing(const std::string& column, const Columns& others) {
  if (!column.starts_with("calls of ") && !column.starts_with("bytes of ")) {
    return "";
  }
  const std::string calls = "calls" + column.substr(column.find(' '));
  return others.contains(calls) ? "" : "0";
}

std::string rowOf(const std::vector<std::string>& columns, const Cells& cells) {
  return absl::StrJoin(
      columns, ",", [&cells](std::string* row, const std::string& column) {
        const auto found = cells.find(column);
        row->append(found == cells.end() ? missing(column, cells)
                                         : csvField(found->second));
      });
}

// Returns why the run cannot be added to the file of this row; "" if it can.
std::string whyNotBeside(std::string_view row, const Cells& cells) {
  const std::vector<std::string> there = splitCsv(row, kLeading);
  if (there.size() < kLeading) return "has a row that is cut";
  if (there[kRun] == cells.at("run")) return "has this run already";
  if (there[kRanks] == cells.at("ranks") &&
      there[kSteps] == cells.at("steps")) {
    return "";
  }
  return absl::StrCat("has runs of ", there[kRanks], " ranks and steps \"",
                      there[kSteps], "\", this one has ", cells.at("ranks"),
                      " and \"", cells.at("steps"), "\"; use another file");
}

}  // namespace

Result<std::string> withRun(std::string_view csv, const RunFigures& run,
                            const std::string& label) {
  const Cells cells = cellsOf(run, label);
  std::vector<std::string> columns = firstColumns();
  std::vector<std::string> rows =
      absl::StrSplit(absl::string_view(csv.data(), csv.size()),
                     absl::ByAnyChar("\r\n"), absl::SkipEmpty());
  if (!rows.empty()) {
    if (rows.front().starts_with("{\"traced_history\"")) {
      return Error{"has the lines of an older version; use a new file"};
    }
    const auto there = splitCsv(rows.front(), rows.front().size() + 1);
    if (there.size() < columns.size() ||
        !std::equal(columns.begin(), columns.end(), there.begin())) {
      return Error{"is no file of runs"};
    }
    columns = there;
    rows.erase(rows.begin());
  }
  const std::set<std::string> known(columns.begin(), columns.end());
  std::string padding;
  for (const auto& [column, cell] : cells) {
    if (known.contains(column)) continue;
    columns.push_back(column);
    absl::StrAppend(&padding, ",", missing(column, known));
  }
  for (std::string& row : rows) {
    const std::string why = whyNotBeside(row, cells);
    if (!why.empty()) return Error{why};
    row += padding;
  }
  rows.push_back(rowOf(columns, cells));
  std::sort(rows.begin(), rows.end());
  for (std::string& column : columns) column = csvField(column);
  rows.insert(rows.begin(), absl::StrJoin(columns, ","));
  return absl::StrCat(absl::StrJoin(rows, "\n"), "\n");
}

}  // namespace traced
