#include "phrasing/whatif_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/common/heading.h"
#include "cli/common/part_options.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "cli/whatif/whatif_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Below this part of the step, a part of the critical path is not listed.
constexpr double kMinPathPart = 0.005;

std::string answersText(const WhatIfOutput& output, std::size_t columns,
                        bool colours) {
  Table table;
  table.addColumn("the run would take");
  table.addColumn("range");
  table.addColumn("of imbalance");
  table.addColumn("if ...", Table::Align::kLeft, Table::Cut::kEnd);
  std::size_t rows = 0;
  for (const whatif::Answer& answer : output.result.answers) {
    if (rows++ == output.max_rows) break;
    const whatif::Estimate& saves = answer.saves;
    table.addRow({saves.value < 0
                      ? absl::StrCat(partText(-saves.value), " longer")
                      : absl::StrCat(partText(saves.value), " less"),
                  partRangeText(saves.low, saves.high),
                  answer.of_imbalance ? partText(*answer.of_imbalance) : "-",
                  changeText(answer, output.network)});
  }
  table.fit(columns, {});
  std::string text = table.text(colours);
  const std::size_t all = output.result.answers.size();
  if (all > output.max_rows) {
    absl::StrAppend(&text, all - output.max_rows, " more with --all\n");
  }
  return text;
}

std::string pathText(const WhatIfOutput& output, std::size_t columns,
                     bool colours) {
  const whatif::CriticalPath& path = output.result.path;
  if (path.parts.empty() || path.step_ns <= 0) return "";
  Table table;
  table.addColumn("part");
  table.addColumn("critical path", Table::Align::kLeft, Table::Cut::kEnd);
  std::size_t rows = 0;
  for (const whatif::PathPart& part : path.parts) {
    if (part.ns < kMinPathPart * path.step_ns) break;
    if (rows++ == output.max_rows) break;
    table.addRow({partText(part.ns / path.step_ns), pathPartText(part)});
  }
  table.fit(columns, {});
  const std::string what =
      path.step ? absl::StrCat("Step ", *path.step, ", the median step (")
                : std::string("The run (");
  return absl::StrCat(
      what, durationText(static_cast<std::uint64_t>(path.step_ns)),
      "), took as long as its critical path:\n", table.text(colours));
}

}  // namespace

std::string whatIfText(const WhatIfOutput& output, std::size_t columns,
                       bool colours) {
  std::string text = headingText(output.title, output.set, output.summary);
  const std::string window = windowText(output.window, output.outside);
  if (!window.empty()) absl::StrAppend(&text, wrapped("", window, columns));
  absl::StrAppend(&text, "\n");
  if (output.result.refusal) {
    return absl::StrCat(text, wrapped("", refusalText(output.result), columns));
  }
  bool first = true;
  for (const std::string& sentence : whatIfSentences(output.result)) {
    const std::string lines = wrapped("", sentence, columns);
    absl::StrAppend(&text, first ? bold(lines, colours) : lines);
    first = false;
  }
  absl::StrAppend(&text, "\n", answersText(output, columns, colours));
  const std::string path = pathText(output, columns, colours);
  if (!path.empty()) absl::StrAppend(&text, "\n", path);
  const std::vector<std::string> notes = whatIfNotes(output.result);
  if (!notes.empty()) absl::StrAppend(&text, "\n");
  for (const std::string& note : notes) {
    absl::StrAppend(&text, wrapped("  - ", note, columns));
  }
  return text;
}

}  // namespace traced
