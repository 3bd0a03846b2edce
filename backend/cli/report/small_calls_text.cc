#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"

namespace traced {

std::string smallCallsText(const Report& report) {
  constexpr std::size_t kMaxSites = 3;
  std::string text;
  const auto& all = report.small_calls;
  for (std::size_t i = 0; i < std::min(all.size(), kMaxSites); ++i) {
    const SmallCallSite& site = all[i];
    const bool by_step = site.steps > 0 && site.calls >= site.steps;
    const std::uint64_t count =
        site.calls / (by_step ? site.steps : site.ranks);
    const double part = static_cast<double>(site.cost_ns) /
                        static_cast<double>(report.summary.rankTimeNs());
    absl::StrAppend(
        &text, "Many small calls: ", printable(site.site), " issues ",
        report.isBounded() ? "" : "at least ", groupedText(count), " ", site.op,
        by_step ? " per step" : "", " on each of ", countOf(site.ranks, "rank"),
        ", ", bytesText(static_cast<std::uint64_t>(site.p50_bytes)),
        " each (median). They block at least ", percentText(part),
        " of the run, without waiting for the slowest rank. One call with all "
        "tensors, or a coalesced call, usually takes less time.\n");
  }
  if (all.size() > kMaxSites) {
    absl::StrAppend(&text, "Many small calls also at ",
                    countOf(all.size() - kMaxSites, "more line"),
                    "; --json has all.\n");
  }
  return text;
}

}  // namespace traced
