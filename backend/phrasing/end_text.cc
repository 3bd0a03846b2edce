#include "phrasing/end_text.h"

#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

// Returns the severity of an end. Worse ends come first in the text.
int badnessOf(const ListedRank& rank) {
  if (rank.end.failed()) return 0;
  switch (rank.end.kind) {
    case EndKind::kInOrder:
      return 4;
    case EndKind::kUnknown:
      return rank.running ? 3 : 2;
    default:
      return 1;
  }
}

std::string textOf(const ListedRank& rank) {
  return rank.running ? "still running" : endText(rank.end);
}

}  // namespace

std::string endText(const ProcessEnd& end) {
  switch (end.kind) {
    case EndKind::kUnknown:
      return "may live: its trace does not show it";
    case EndKind::kInOrder:
      return "ended in order";
    case EndKind::kRaised:
      return absl::StrCat("raised ", end.exceptionLine());
    case EndKind::kExited:
      return absl::StrCat("exited with code ", *end.exit_code);
    case EndKind::kKilled:
      return absl::StrCat(
          "was killed by ", signalName(end.signal),
          end.oom_killed ? ": the kernel had run out of memory" : "");
    case EndKind::kDied:
      return end.oom_killed ? "was killed: the kernel had run out of memory"
                            : "was killed, or left without its exit handlers";
  }
  return "";
}

std::string endText(const ListedRun& run) {
  constexpr std::size_t kMaxReported = 2;
  absl::btree_map<std::pair<int, std::string>, std::vector<std::uint32_t>> ends;
  for (const ListedRank& rank : run.ranks) {
    ends[{badnessOf(rank), textOf(rank)}].push_back(rank.rank);
  }
  if (ends.size() == 1) {
    const ListedRank& any = run.ranks.front();
    const bool of_one =
        run.ranks.size() == 1 && any.end.kind != EndKind::kInOrder;
    if (!of_one) return ends.begin()->first.second;
  }
  std::vector<std::string> parts;
  for (const auto& [end, ranks] : ends) {
    if (parts.size() == kMaxReported) {
      parts.push_back(
          absl::StrCat("and ", ends.size() - kMaxReported, " more"));
      break;
    }
    parts.push_back(absl::StrCat(ranksText(ranks), " ", end.second));
  }
  return absl::StrJoin(parts, "; ");
}

}  // namespace traced
