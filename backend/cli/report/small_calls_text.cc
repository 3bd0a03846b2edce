#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"

namespace traced {

std::string smallCallsText(const Report& report) {
  std::string text;
  for (const SmallCallSite& site : report.small_calls) {
    const bool by_step = site.steps > 0 && site.calls >= site.steps;
    const std::uint64_t count =
        site.calls / (by_step ? site.steps : site.ranks);
    const double part = static_cast<double>(site.cost_ns) /
                        static_cast<double>(report.summary.rankTimeNs());
    absl::StrAppend(
        &text, "Many small calls: ", printable(site.site), " issues ",
        groupedText(count), " ", site.op, by_step ? " per step" : "",
        " on each of ", countOf(site.ranks, "rank"), ", ",
        bytesText(static_cast<std::uint64_t>(site.p50_bytes)),
        " each (median). They block ", percentText(part),
        " of the run, without waiting for the slowest rank. One call with all "
        "tensors, or a coalesced call, usually takes less time.\n");
  }
  return text;
}

}  // namespace traced
