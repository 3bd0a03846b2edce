#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/mismatch/call_difference.h"
#include "analysis/job/signature.h"
#include "analysis/stream/rank_list.h"
#include "cli/show/show_output.h"

namespace traced {
namespace {

constexpr std::size_t kMaxVariants = 4;

// The different calls of a row's ranks, ordered by the first rank of each.
struct Variants {
  SignatureTable signatures;
  std::vector<std::vector<std::uint32_t>> ranks;  // by signature

  void add(const Signature& signature, std::uint32_t rank) {
    const std::uint32_t id = signatures.intern(signature);
    if (id == ranks.size()) ranks.emplace_back();
    ranks[id].push_back(rank);
  }

  bool differ() const {
    for (std::uint32_t id = 1; id < ranks.size(); ++id) {
      const Signature& first = signatures.at(0);
      const Signature& other = signatures.at(id);
      if (first.tag != other.tag || differenceOf(first, other)) return true;
    }
    return false;
  }
};

std::optional<Signature> signatureIn(const StreamTable& table,
                                     const AssembledOperation& op,
                                     bool message) {
  const v1::Call* call = table.callOf(op);
  if (!call || call->simulated()) return std::nullopt;
  if (!message) return signatureOf(*call, table.capabilities);
  const std::uint32_t group = table.groupOf(*call);
  if (group == StreamDefinitions::kNone) return std::nullopt;
  return messageOf(*call, table.definitions.groups()[group].engine());
}

}  // namespace

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

std::string differenceText(const ShowContext& context, const MatchRow& row) {
  if (row.groups > 1) return "";
  Variants variants;
  for (const MatchCell& cell : context.table.cellsOf(row)) {
    const StreamTable& table = context.run.streams[cell.stream].table;
    const auto signature = signatureIn(table, table.operations[cell.operation],
                                       row.pair.has_value());
    if (signature) variants.add(*signature, table.header.rank());
  }
  if (!variants.differ()) return "";
  std::string text = absl::StrCat("#", row.seq, " differs: ");
  const RankList& members = context.run.groups.groups()[row.group].members;
  for (std::uint32_t id = 0; id < variants.ranks.size(); ++id) {
    if (id == kMaxVariants) {
      absl::StrAppend(&text, "; and ", variants.ranks.size() - id, " more");
      break;
    }
    absl::StrAppend(&text, id ? "; " : "", ranksText(variants.ranks[id]), ": ",
                    textOf(variants.signatures.at(id), members));
  }
  return text;
}

}  // namespace traced
