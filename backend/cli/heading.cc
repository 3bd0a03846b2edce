#include "cli/heading.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/text.h"

namespace traced {
namespace {

std::string lostText(const TraceSet& set, const RunSummary& summary) {
  const Losses& losses = summary.losses();
  std::vector<std::string> lost;
  const auto say = [&](std::uint64_t count, const char* noun,
                       const char* what) {
    if (count > 0) lost.push_back(absl::StrCat(countOf(count, noun), what));
  };
  say(losses.droppedTotal(), "record", " dropped");
  say(losses.missing(), "record", " missing");
  say(unusableBytes(set, summary), "byte", " unusable");
  if (lost.empty() && losses.any()) lost.push_back("chunks left out");
  if (!lost.empty()) return absl::StrJoin(lost, ", ");
  return losses.notClosed().empty() ? "nothing lost"
                                    : "nothing known to be lost";
}

}  // namespace

std::string headingText(const std::string& title, const TraceSet& set,
                        const RunSummary& summary) {
  std::string text =
      absl::StrCat(title, ": ", countOf(summary.ranks().size(), "rank"), " on ",
                   countOf(summary.hosts().size(), "host"), ", torch ",
                   absl::StrJoin(summary.torchVersions(), " and "));
  if (!summary.backends().empty()) {
    absl::StrAppend(&text, ", ", absl::StrJoin(summary.backends(), " and "));
  }
  absl::StrAppend(&text, "; ", durationText(summary.longestRunNs()), " long, ",
                  countOf(summary.operations(), "operation"), ", ",
                  lostText(set, summary));
  return printable(text) + "\n";
}

}  // namespace traced
