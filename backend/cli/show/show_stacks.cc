#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/rank_list.h"
#include "cli/show/show_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::size_t kMaxLineBytes = 160;

// Ranks that called an operation at the same call site.
struct Callers {
  std::vector<std::uint32_t> ranks;
  std::string place;
};

std::string cppLinesOf(const StreamDefinitions& definitions,
                       const v1::Stack& stack) {
  std::string lines = "   in C++\n";
  for (const std::uint64_t id : stack.cpp()) {
    std::string line = printable(codeText(definitions.code(id)));
    // Cuts long template names. The JSON has them in full.
    if (line.size() > kMaxLineBytes)
      line = line.substr(0, kMaxLineBytes) + "...";
    absl::StrAppend(&lines, "    ", line, "\n");
  }
  if (stack.cpp_cut()) absl::StrAppend(&lines, "    and more farther out\n");
  return lines;
}

// Returns the stack, innermost frame first: "   /job/train.py:120 in forward"
// and so on, then the C++ stack.
std::string linesOf(const StreamDefinitions& definitions,
                    const v1::Stack* stack) {
  if (!stack) return "    not known\n";
  const auto frames = definitions.frames(*stack);
  if (frames.empty() && stack->cpp().empty()) return "    not known\n";
  std::string lines;
  for (const v1::Frame* frame : frames) {
    absl::StrAppend(&lines, "    ", printable(frameText(frame)), "\n");
  }
  if (stack->cut() > 0) {
    absl::StrAppend(&lines, "    and ", stack->cut(), " farther out\n");
  }
  if (!stack->cpp().empty()) lines += cppLinesOf(definitions, *stack);
  return lines;
}

void addCaller(std::vector<Callers>& all, std::uint32_t rank,
               std::string place) {
  for (Callers& callers : all) {
    if (callers.place != place) continue;
    callers.ranks.push_back(rank);
    return;
  }
  all.push_back({{rank}, std::move(place)});
}

std::string titleOf(const ShowContext& context, const MatchRow& row) {
  const MatchCell& first = context.table.cellsOf(row).front();
  const StreamTable& table = context.run.streams[first.stream].table;
  std::string text = operationName(table, table.operations[first.operation]);
  if (row.seq > 0) absl::StrAppend(&text, " #", row.seq);
  if (row.pair) {
    absl::StrAppend(&text, " from rank ", row.pair->first, " to rank ",
                    row.pair->second);
  }
  return absl::StrCat(text, " on \"",
                      printable(context.run.groups.label(row.group)), "\"");
}

}  // namespace

void writeStacksText(std::ostream& out, const ShowContext& context,
                     const ShownRows& shown, std::size_t max_ranks) {
  const absl::btree_set<std::uint32_t> streams =
      streamsShown(context, shown, max_ranks);
  for (const MatchRow& row : shown.rows) {
    std::vector<Callers> all;
    for (const MatchCell& cell : context.table.cellsOf(row)) {
      if (!streams.contains(cell.stream)) continue;
      const StreamTable& table = context.run.streams[cell.stream].table;
      addCaller(all, table.header.rank(),
                linesOf(table.definitions,
                        table.stackOf(table.operations[cell.operation])));
    }
    if (all.empty()) continue;
    out << "\n " << titleOf(context, row) << "\n";
    for (const Callers& callers : all) {
      out << (callers.ranks.size() == 1 ? "  rank " : "  ranks ")
          << RankList::fromRanks(callers.ranks).text() << "\n"
          << callers.place;
    }
  }
}

}  // namespace traced
