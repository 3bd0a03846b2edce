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

// Returns the ranks of a job that findings name as causes.
std::vector<std::uint32_t> causesIn(const HostsJob& job,
                                    const std::vector<LiveFinding>& findings) {
  std::vector<std::uint32_t> causes;
  for (const LiveFinding& finding : findings) {
    if (finding.title != job.title()) continue;
    causes.insert(causes.end(), finding.causes.begin(), finding.causes.end());
  }
  std::sort(causes.begin(), causes.end());
  return causes;
}

// Adds the ranks that are among `causes`, or those that are not.
void addRanks(HtmlTable& table, const HostsJob& job, bool with_hosts,
              const std::vector<std::uint32_t>& causes, bool is_named) {
  for (const HostsJob::Part& part : job.parts()) {
    for (const v1::RankDigest& rank : part.digest->ranks()) {
      if (std::binary_search(causes.begin(), causes.end(), rank.rank()) !=
          is_named) {
        continue;
      }
      std::vector<std::string> cells = {absl::StrCat(rank.rank())};
      if (with_hosts) cells.push_back(part.host);
      for (std::string& cell : std::vector<std::string>{
               rank.alive() ? "running" : "ended",
               groupedText(rank.operations()),
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
      table.addRow(cells, is_named);
    }
  }
}

// `causes`: sorted. Their rows are highlighted and come first.
std::string ranksTable(const HostsJob& job, bool with_hosts,
                       const std::vector<std::uint32_t>& causes) {
  HtmlTable table("ranks");
  table.addColumn("rank", Kind::kNumber);
  if (with_hosts) table.addColumn("host", Kind::kText);
  for (const char* heading :
       {"process", "operations", "in flight", "last call, s ago", "step",
        "step took, s", "waited for the slowest rank, s",
        "others waited for it, s"}) {
    table.addColumn(heading, Kind::kNumber);
  }
  for (const bool is_named : {true, false}) {
    addRanks(table, job, with_hosts, causes, is_named);
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
  for (const char* heading : {"calls", "bytes", "wait for the slowest rank, s",
                              "transfer, s", "blocked in waits, s"}) {
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
      "<article class=\"verdict ",
      finding.json.value("certain", false) ? "certain" : "likely",
      "\"><p><strong>", htmlText(finding.json.value("kind", "")), "</strong> ",
      htmlText(finding.text), "</p><p class=sure>",
      finding.is_severe ? "Ranks may be stuck." : "Ranks are slow.",
      "</p><h4>Run next</h4><pre>", htmlText(finding.command),
      "\n</pre></article>\n");
}

// Returns the worst finding as a heading.
std::string liveHeadline(const Hosts& hosts,
                         const std::vector<LiveFinding>& findings) {
  const char* where = hosts.peers().empty() ? "this host" : "these hosts";
  if (hosts.jobs().empty()) {
    return absl::StrCat("<h1 class=live>No traced job runs on ", where,
                        ".</h1>");
  }
  const std::string jobs = countOf(hosts.jobs().size(), "job");
  if (findings.empty()) {
    return absl::StrCat(
        "<h1 class=\"good live\">Nothing wrong found so far in ", jobs, " on ",
        where, ".</h1>\n");
  }
  const auto severe =
      std::find_if(findings.begin(), findings.end(),
                   [](const LiveFinding& each) { return each.is_severe; });
  const LiveFinding& worst =
      severe != findings.end() ? *severe : findings.front();
  return absl::StrCat("<h1 class=\"bad live\">", htmlText(worst.text),
                      "</h1>\n");
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
                    ". Times are sums over complete operations since "
                    "<code>tracectl serve</code> started. Operations in flight "
                    "are not counted.</p>",
                    ranksTable(job, several, causesIn(job, findings)),
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
