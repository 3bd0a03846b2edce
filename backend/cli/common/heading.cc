#include "cli/common/heading.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/rank_list.h"
#include "phrasing/text.h"

namespace traced {
namespace {

std::string lostText(const TraceSet& set, const RunSummary& summary) {
  const Losses& losses = summary.losses();
  std::vector<std::string> lost;
  const auto add = [&](std::uint64_t count, const char* noun,
                       const char* what) {
    if (count > 0) lost.push_back(absl::StrCat(countOf(count, noun), what));
  };
  add(losses.droppedTotal(), "record", " dropped");
  add(losses.missing(), "record", " missing");
  add(unusableBytes(set, summary), "byte", " unusable");
  add(losses.notInDumps(), "record", " not in the dumps");
  if (lost.empty() && losses.any()) lost.push_back("chunks left out");
  if (!lost.empty()) return absl::StrJoin(lost, ", ");
  return losses.notClosed().empty() ? "nothing lost"
                                    : "nothing known to be lost";
}

// Returns " (job run42, attempt 0)"; "" for dumps, which do not contain it.
std::string runText(const TraceSet& set) {
  if (set.selected.empty()) return "";
  const TraceStream& stream = set.streams[set.selected.front()];
  if (stream.dump_file) return "";
  return absl::StrCat(" (job ", stream.header.job(), ", attempt ",
                      stream.header.attempt(), ")");
}

}  // namespace

std::string pausesText(const RunSummary::Pauses& pauses) {
  if (pauses.count == 0) return "";
  const auto times = [](std::uint64_t count) { return countOf(count, "time"); };
  if (pauses.ranks.size() == 1) {
    return absl::StrCat("tracing was switched off ", times(pauses.count), ", ",
                        durationText(pauses.total_ns), " in all, on rank ",
                        pauses.ranks[0]);
  }
  return absl::StrCat("tracing was switched off up to ",
                      times(pauses.most_count), " a rank, up to ",
                      durationText(pauses.most_ns), " in all, on ranks ",
                      RankList::fromRanks(pauses.ranks).text());
}

std::string deviceTimesText(const RunSummary::DeviceTimes& times,
                            const std::string& indent) {
  std::string text;
  if (times.error_ns) {
    absl::StrAppend(&text, indent, "Device times: off by at most ",
                    threeDigits(static_cast<double>(*times.error_ns) / 1e3),
                    " us on the host's clock.\n");
  }
  if (times.untimed == 0) return text;
  absl::StrAppend(&text, indent, "Operations and waits without device times: ",
                  groupedText(times.untimed));
  if (times.ranks.size() > 1) {
    absl::StrAppend(&text, ", on ranks ",
                    RankList::fromRanks(times.ranks).text());
  }
  absl::StrAppend(&text, "; on rank ", times.most_rank);
  if (!times.why.empty()) absl::StrAppend(&text, ": ", printable(times.why));
  return text + ".\n";
}

std::string fromRingsText(const RunSummary& summary) {
  std::uint64_t longest_ns = 0;
  std::vector<std::uint32_t> ranks;
  for (const RunSummary::FromRing& ring : summary.fromRings()) {
    longest_ns = std::max(longest_ns, ring.span_ns);
    ranks.push_back(ring.rank);
  }
  if (ranks.empty()) return "";
  return absl::StrFormat("the last %.1f s of %s are from shared memory",
                         static_cast<double>(longest_ns) / 1e9,
                         ranksText(ranks));
}

std::string headingText(const std::string& title, const TraceSet& set,
                        const RunSummary& summary) {
  std::string text = absl::StrCat(title, runText(set), ": ",
                                  countOf(summary.ranks().size(), "rank"));
  if (summary.fromDumps()) {
    absl::StrAppend(&text, ", Flight Recorder dumps");
  } else {
    absl::StrAppend(&text, " on ", countOf(summary.hosts().size(), "host"),
                    ", torch ",
                    absl::StrJoin(summary.torchVersions(), " and "));
  }
  if (!summary.backends().empty()) {
    absl::StrAppend(&text, ", ", absl::StrJoin(summary.backends(), " and "));
  }
  absl::StrAppend(&text, "; ", countOf(summary.operations(), "operation"));
  if (const std::uint64_t span_ns = summary.longestRankTimeNs()) {
    absl::StrAppend(&text, " in ", durationText(span_ns));
  }
  absl::StrAppend(&text, ", ", lostText(set, summary));
  if (const std::uint64_t left_out = summary.leftOut().operations) {
    absl::StrAppend(&text, "; ", countOf(left_out, "operation"),
                    " not recorded (TRACED_SCOPE)");
  }
  const std::string paused = pausesText(summary.pauses());
  if (!paused.empty()) absl::StrAppend(&text, "; ", paused);
  const std::string from_rings = fromRingsText(summary);
  if (!from_rings.empty()) absl::StrAppend(&text, "; ", from_rings);
  return printable(text) + "\n";
}

}  // namespace traced
