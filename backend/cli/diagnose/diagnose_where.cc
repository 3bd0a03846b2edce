#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/table.h"
#include "cli/diagnose/diagnose_output.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Ranks at the same position, with the earliest of their times.
struct RanksAtOnePlace {
  std::vector<std::uint32_t> ranks;
  std::string finished;
  std::string now;
  std::string trace;
  std::int64_t since_ns = 0;
};

std::string finishedText(const JobState& job, const RankState& rank) {
  return rank.last_finished ? printable(operationText(job, *rank.last_finished))
                            : "nothing";
}

std::string nowText(const JobState& job, const RankState& rank) {
  if (rank.inside.empty()) {
    return rank.first_failure
               ? printable(absl::StrCat(
                     "failed in ", operationText(job, *rank.first_failure)))
               : "-";
  }
  std::string text = printable(operationText(job, rank.inside.back()));
  if (rank.inside.size() > 1) {
    absl::StrAppend(&text, " and ", rank.inside.size() - 1, " more");
  }
  return text;
}

// Returns the state of the process in few words.
std::string processText(const RankState& rank) {
  const ProcessEnd& end = rank.end;
  const char* lost = rank.lost.empty() ? "" : ", records lost";
  switch (end.kind) {
    case EndKind::kInOrder:
      return absl::StrCat("ended in order", lost);
    case EndKind::kRaised:
      return absl::StrCat(
          "raised ",
          printable(end.exception.substr(0, end.exception.find(':'))), lost);
    case EndKind::kDied:
      return absl::StrCat("died", lost);
    case EndKind::kUnknown:
      return absl::StrCat(rank.running ? "still runs" : "end not seen", lost);
    default:
      return absl::StrCat(printable(endText(end)), lost);
  }
}

// Cuts a text to `most` bytes, so that it leaves room for the other cells.
std::string cell(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  // The cut may fall inside a UTF-8 character, which printable() replaces.
  return printable(text.substr(0, most - 3)) + "...";
}

}  // namespace

std::string whereTable(const Diagnosis& diagnosis, std::size_t max_ranks,
                       std::size_t columns) {
  // Three cells share the width that the ranks and the time leave.
  const std::size_t most = std::max<std::size_t>(10, (columns - 25) / 3);
  const JobState& job = diagnosis.job;
  std::int64_t end_ns = 0;
  for (const RankState& rank : job.ranks) {
    end_ns = std::max(end_ns, rank.last_ns);
  }
  std::vector<RanksAtOnePlace> places;
  for (const RankState& rank : job.ranks) {
    RanksAtOnePlace place{
        {rank.rank},
        finishedText(job, rank),
        nowText(job, rank),
        processText(rank),
        rank.inside.empty() ? end_ns : rank.inside.back().at_ns};
    if (!places.empty()) {
      RanksAtOnePlace& last = places.back();
      const bool same = last.finished == place.finished &&
                        last.now == place.now && last.trace == place.trace;
      if (same) {
        last.ranks.push_back(rank.rank);
        last.since_ns = std::min(last.since_ns, place.since_ns);
        continue;
      }
    }
    places.push_back(std::move(place));
  }
  Table table;
  table.addColumn(" rank", Table::Align::kLeft);
  table.addColumn("last finished", Table::Align::kLeft);
  table.addColumn("now in", Table::Align::kLeft);
  table.addColumn("since");
  table.addColumn("process", Table::Align::kLeft);
  for (std::size_t i = 0; i < places.size() && i < max_ranks; ++i) {
    const RanksAtOnePlace& place = places[i];
    table.addRow(
        {absl::StrCat(" ", RankList::fromRanks(place.ranks).text()),
         cell(place.finished, most), cell(place.now, most),
         end_ns > place.since_ns ? secondsText(end_ns - place.since_ns) : "-",
         cell(place.trace, most)});
  }
  std::string text = table.text();
  if (places.size() > max_ranks) {
    absl::StrAppend(&text, " ", places.size() - max_ranks,
                    " more lines; --all shows them\n");
  }
  return text;
}

}  // namespace traced
