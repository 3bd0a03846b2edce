#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/stream/rank_list.h"
#include "cli/show/show_output.h"

namespace traced {

absl::btree_set<std::uint32_t> streamsShown(const ShowContext& context,
                                            const ShownRows& shown,
                                            std::size_t max_ranks) {
  absl::btree_set<std::uint32_t> streams;
  std::size_t most_cells = 0;
  for (const MatchRow& row : shown.rows) {
    most_cells = std::max(most_cells, row.cell_count);
  }
  for (std::size_t nth = 0; nth < most_cells; ++nth) {
    for (const MatchRow& row : shown.rows) {
      if (nth >= row.cell_count) continue;
      const std::uint32_t stream = context.table.cellsOf(row)[nth].stream;
      if (streams.size() < max_ranks) streams.insert(stream);
    }
    if (streams.size() == max_ranks) break;
  }
  return streams;
}

std::string ranksNotShownText(const ShowContext& context,
                              const ShownRows& shown,
                              const absl::btree_set<std::uint32_t>& streams) {
  absl::btree_set<std::uint32_t> hidden;
  for (const MatchRow& row : shown.rows) {
    for (const MatchCell& cell : context.table.cellsOf(row)) {
      if (!streams.contains(cell.stream)) hidden.insert(cell.stream);
    }
  }
  if (hidden.empty()) return "";
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t stream : hidden) {
    ranks.push_back(context.run.streams[stream].table.header.rank());
  }
  const std::string text = RankList::fromRanks(ranks).text();
  return absl::StrCat(ranks.size() == 1 ? " Rank " : " Ranks ", text,
                      ranks.size() == 1 ? " is" : " are",
                      " in these rows too and not shown: --ranks ", text, "\n");
}

}  // namespace traced
