#include "cli/serve/live_page.h"

#include <algorithm>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "cli/common/text.h"
#include "cli/report/html/html_table.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_parts.h"
#include "cli/serve/live_metrics.h"

namespace traced {
namespace {

using Kind = HtmlTable::Kind;

std::string secondsText(std::uint64_t ns) {
  return threeDigits(static_cast<double>(ns) / 1e9);
}

std::string ranksTable(const WatchedJobs::Job& job) {
  HtmlTable table("ranks");
  for (const char* heading :
       {"rank", "process", "operations", "in flight", "last call, s ago",
        "step", "step took, s", "waited for peers, s", "others waited, s"}) {
    table.addColumn(heading, Kind::kNumber);
  }
  const std::int64_t now_ns = readClock(CLOCK_MONOTONIC);
  for (const WatchedJobs::Rank& rank : job.ranks) {
    const LiveStream& stream = *rank.stream;
    const std::uint32_t number = stream.table().header.rank();
    const auto& steps = stream.steps();
    const auto ago = between(stream.lastIssue(), Instant(now_ns));
    const auto found = job.live.sums().ranks.find(number);
    const LiveSums::OfRank sums = found == job.live.sums().ranks.end()
                                      ? LiveSums::OfRank{}
                                      : found->second;
    std::uint64_t open = 0;
    stream.forEachOpen([&](const AssembledOperation&) { ++open; });
    table.addRow({absl::StrCat(number), rank.alive ? "lives" : "ended",
                  groupedText(sums.totals.calls), absl::StrCat(open),
                  ago ? secondsText(*ago) : "-",
                  steps.begun > 0 ? absl::StrCat(steps.number) : "-",
                  steps.begun > 1 ? secondsText(steps.last_ns) : "-",
                  secondsText(sums.totals.split.wait_for_peers.total_ns),
                  secondsText(sums.lateness.caused_ns)});
  }
  return table.html();
}

std::string kindsTable(const LiveJob& job) {
  HtmlTable table("kinds");
  table.addColumn("operation", Kind::kText);
  table.addColumn("group", Kind::kText);
  for (const char* heading : {"calls", "bytes", "wait for peers, s",
                              "transfer, s", "exposed wait, s"}) {
    table.addColumn(heading, Kind::kNumber);
  }
  for (const auto& [kind, totals] : job.sums().kinds) {
    table.addRow({operationLabel(kind.first), job.groups().label(kind.second),
                  groupedText(totals.calls), bytesText(totals.bytes),
                  secondsText(totals.split.wait_for_peers.total_ns),
                  secondsText(totals.split.transfer.total_ns),
                  secondsText(totals.split.exposed.total_ns)});
  }
  return table.html();
}

}  // namespace

std::string livePage(const WatchedJobs& watched,
                     const std::vector<LiveFinding>& findings,
                     double interval_s) {
  std::string body = "<main><h1>Jobs on this host</h1>";
  if (watched.jobs().empty()) {
    body += "<p>No traced process runs here, or none that may be seen.</p>";
  }
  for (const LiveFinding& finding : findings) {
    absl::StrAppend(&body, "<p><strong>", htmlText(finding.text),
                    "</strong></p>");
  }
  for (const auto& job : watched.jobs()) {
    const v1::Header& header = job->live.header();
    absl::StrAppend(&body, "<h2>", htmlText(job->title()), "</h2><p>",
                    job->ranks.size(), " of ", header.world_size(),
                    " ranks on this host</p>", ranksTable(*job),
                    kindsTable(job->live));
  }
  const int refresh_s = std::max(1, static_cast<int>(interval_s));
  return absl::StrCat(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"refresh\" content=\"",
      refresh_s, "\"><title>traced</title><style>", kReportPage.style.text,
      "</style></head><body>", body, "</main></body></html>\n");
}

}  // namespace traced
