#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_parts.h"
#include "cli/serve/live_findings.h"
#include "cli/serve/live_metrics.h"
#include "phrasing/live_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using Kind = HtmlTable::Kind;

std::string secondsText(std::uint64_t ns) {
  return threeDigits(static_cast<double>(ns) / 1e9);
}

std::string ranksTable(const HostsJob& job, bool with_hosts) {
  HtmlTable table("ranks");
  table.addColumn("rank", Kind::kNumber);
  if (with_hosts) table.addColumn("host", Kind::kText);
  for (const char* heading :
       {"process", "operations", "in flight", "last call, s ago", "step",
        "step took, s", "waited for peers, s", "others waited, s"}) {
    table.addColumn(heading, Kind::kNumber);
  }
  for (const HostsJob::Part& part : job.parts()) {
    for (const v1::RankDigest& rank : part.digest->ranks()) {
      std::vector<std::string> cells = {absl::StrCat(rank.rank())};
      if (with_hosts) cells.push_back(part.host);
      for (std::string& cell : std::vector<std::string>{
               rank.alive() ? "lives" : "ended", groupedText(rank.operations()),
               absl::StrCat(rank.may_have_more_in_flight() ? "at least " : "",
                            rank.in_flight()),
               rank.has_since_operation_ns()
                   ? secondsText(rank.since_operation_ns())
                   : "-",
               rank.steps() > 0 ? absl::StrCat(rank.step()) : "-",
               rank.steps() > 1 ? secondsText(rank.step_took_ns()) : "-",
               secondsText(rank.wait_for_peers_ns()),
               secondsText(rank.caused_wait_ns())}) {
        cells.push_back(std::move(cell));
      }
      table.addRow(cells);
    }
  }
  return table.html();
}

std::string peersTable(const std::vector<Peer>& peers) {
  HtmlTable table("peers");
  table.addColumn("peer", Kind::kText);
  table.addColumn("host", Kind::kText);
  table.addColumn("answered, s ago", Kind::kNumber);
  table.addColumn("bytes", Kind::kNumber);
  table.addColumn("", Kind::kText);
  for (const Peer& peer : peers) {
    table.addRow({peer.address, peer.digest ? peer.digest->host() : "-",
                  threeDigits(peer.silent_s), groupedText(peer.bytes),
                  peer.problem});
  }
  return table.html();
}

// Returns the table of operations by kind, of the ranks on this host.
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

// Returns a warning for each silent host. Its ranks are in no verdict.
Json warningsOf(const std::vector<Peer>& peers) {
  Json warnings = Json::array();
  for (const Peer& peer : peers) {
    if (peer.digest) continue;
    warnings.push_back(
        printable(silentHostText(peer.address, peer.silent_s, peer.problem)));
  }
  return warnings;
}

Json hostsOf(const Hosts& hosts) {
  Json all = Json::array({{{"host", hosts.digest().host()}}});
  for (const Peer& peer : hosts.peers()) {
    Json each = {{"peer", peer.address}, {"silent_s", peer.silent_s}};
    if (peer.digest) each["host"] = peer.digest->host();
    if (!peer.problem.empty()) each["problem"] = peer.problem;
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

namespace {

std::string findingHtml(const LiveFinding& finding) {
  return absl::StrCat(
      "<article class=\"verdict ", finding.is_severe ? "" : "warn ",
      finding.json.value("certain", false) ? "certain" : "likely",
      "\"><p><strong>", htmlText(finding.json.value("kind", "")), "</strong> ",
      htmlText(finding.text), "</p><p class=sure>",
      finding.is_severe ? "ranks may be stuck" : "ranks are slow",
      "</p><h4>Run next</h4><pre>", htmlText(finding.command),
      "\n</pre></article>\n");
}

// The worst of what was found, in a sentence.
std::string liveHeadline(const Hosts& hosts,
                         const std::vector<LiveFinding>& findings) {
  const char* where = hosts.peers().empty() ? "this host" : "these hosts";
  if (hosts.jobs().empty()) {
    return absl::StrCat("<h1>No traced job runs on ", where, ".</h1>");
  }
  const std::string jobs = countOf(hosts.jobs().size(), "job");
  if (findings.empty()) {
    return absl::StrCat("<h1 class=good>Nothing wrong was found until now in ",
                        jobs, " on ", where, ".</h1>\n");
  }
  const auto severe =
      std::find_if(findings.begin(), findings.end(),
                   [](const LiveFinding& each) { return each.is_severe; });
  const bool is_severe = severe != findings.end();
  const LiveFinding& worst = is_severe ? *severe : findings.front();
  return absl::StrCat("<h1 class=", is_severe ? "bad" : "warn", ">",
                      htmlText(worst.text), "</h1>\n");
}

}  // namespace

std::string livePage(const Hosts& hosts,
                     const std::vector<LiveFinding>& findings,
                     double interval_s) {
  const bool several = !hosts.peers().empty();
  std::string body = absl::StrCat("<main>", liveHeadline(hosts, findings));
  if (hosts.jobs().empty()) {
    body += "<p>No traced process runs here, or none that may be seen.</p>";
  }
  for (const LiveFinding& finding : findings) body += findingHtml(finding);
  for (const HostsJob& job : hosts.jobs()) {
    int ranks = 0;
    for (const HostsJob::Part& part : job.parts()) {
      ranks += part.digest->ranks_size();
    }
    absl::StrAppend(&body, "<h2>", htmlText(job.title()), "</h2><p>", ranks,
                    " of ", job.header().world_size(), " ranks on ",
                    several ? countOf(job.parts().size(), "host") : "this host",
                    "</p>", ranksTable(job, several),
                    job.own ? kindsTable(job.own->live) : "");
  }
  if (several) {
    absl::StrAppend(&body, "<h2>Other hosts</h2>", peersTable(hosts.peers()));
  }
  const int refresh_s = std::max(1, static_cast<int>(interval_s));
  return absl::StrCat(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"refresh\" content=\"",
      refresh_s,
      "\"><meta name=color-scheme content=\"light dark\">"
      "<title>traced</title><style>",
      kReportPage.style.text, "</style></head><body>", body,
      "</main></body></html>\n");
}

Json verdictsJson(const Hosts& hosts,
                  const std::vector<LiveFinding>& findings) {
  Json verdicts = Json::array();
  for (const LiveFinding& finding : findings) verdicts.push_back(finding.json);
  Json json = {{"schema", kJsonSchema},
               {"warnings", warningsOf(hosts.peers())}};
  if (!hosts.peers().empty()) json["hosts"] = hostsOf(hosts);
  json["verdicts"] = std::move(verdicts);
  return json;
}

}  // namespace traced
