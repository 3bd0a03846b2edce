#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/common/table.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_sections.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

using Kind = HtmlTable::Kind;

std::string ms(std::uint64_t ns) {
  return millisecondsText(static_cast<double>(ns));
}

std::string meanMs(std::uint64_t total_ns, std::uint64_t count) {
  return count == 0 ? "-"
                    : millisecondsText(static_cast<double>(total_ns) /
                                       static_cast<double>(count));
}

std::string msOrNone(const TimeSummary& time, std::uint64_t ns) {
  return time.count == 0 ? "-" : ms(ns);
}

// Returns a time, or only its upper bound if it may be 0.
std::string certified(const CertifiedTimes& times, const CertifiedTime& time) {
  if (times.count() == 0) return "-";
  return isSurelyNotZero(time) ? ms(notBelowZero(time.ns))
                               : "<" + ms(notBelowZero(time.high_ns));
}

// Returns ns per byte; 0 if nothing is timed.
double slownessOf(const Link::Timed& timed) {
  return timed.bytes == 0
             ? 0
             : static_cast<double>(timed.ns) / static_cast<double>(timed.bytes);
}

std::string speedText(const Link::Timed& timed) {
  return timed.bytes == 0 ? "-" : threeDigits(1 / slownessOf(timed));
}

void addNumbers(HtmlTable& table, std::vector<std::string> headings) {
  for (std::string& heading : headings) table.addColumn(std::move(heading));
}

std::string totalMs(const TimeSum& time) {
  return time.count == 0 ? "-" : ms(time.total_ns);
}

std::vector<std::string> totalCells(const Report& report,
                                    const CallTotals& totals,
                                    std::uint64_t run_ns) {
  return {groupedText(totals.calls),
          bytesText(totals.bytes),
          totalMs(totals.host),
          totalCell(totals.wait, totals.waits_unknown),
          totalMs(totals.split.wait_for_peers),
          totalMs(totals.split.transfer),
          groupedText(totals.split.last.count),
          shareCell(report, totals, run_ns)};
}

void addTotalColumns(HtmlTable& table) {
  addNumbers(table, {"operations", "bytes", "in calls ms",
                     "in recorded waits ms", "waiting for the slowest rank ms",
                     "transfer ms", "times last", "share of rank time"});
}

void append(std::vector<std::string>& cells, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(cells));
}

// Moves blamed ranks to the front, in the order of `blamed`.
template <typename Ranks>
void putFirst(const std::vector<std::uint32_t>& blamed, Ranks& ranks) {
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](const auto& a, const auto& b) {
                     return std::find(blamed.begin(), blamed.end(), a.rank) <
                            std::find(blamed.begin(), blamed.end(), b.rank);
                   });
}

bool isIn(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Returns whether TRACED_VALUES=stats was on.
bool hasValues(const Report& report) {
  return std::any_of(
      report.rows.begin(), report.rows.end(), [](const ReportRow& row) {
        return row.totals.inputs.elements() + row.totals.outputs.elements() > 0;
      });
}

std::string valuesCell(const TensorSummary& tensors) {
  const std::string text = tensors.text();
  return text.empty() ? "-" : text;
}

}  // namespace

std::string stepTable(const Report& report) {
  const StepPicture& steps = report.pictures->steps;
  HtmlTable table("steps");
  table.addColumn(steps.by_step ? "step" : "from s");
  addNumbers(
      table,
      {"bars of ranks", "mean ms", "computing ms", "hidden communication ms",
       "in calls ms", "waiting for the slowest rank ms",
       "waiting for a transfer ms", "uncertain part of both ms",
       "waiting for either ms", "computing or waiting ms", "longest rank ms"});
  for (const StepTimes& times : steps.entries) {
    const auto mean = [&](std::uint64_t ns) { return meanMs(ns, times.count); };
    table.addRow(
        {steps.by_step
             ? groupedText(times.first)
             : threeDigits(static_cast<double>(times.first) *
                           static_cast<double>(steps.stretch_ns) / 1e9),
         groupedText(times.count), mean(times.time.totalNs()),
         mean(times.time.computing_ns), mean(times.time.hidden_ns),
         mean(times.time.calls_ns), mean(times.time.exposed_wait_for_peers_ns),
         mean(times.time.exposed_transfer_ns), mean(times.time.uncertain_ns),
         mean(times.time.undecided_ns), mean(times.time.may_wait_ns),
         ms(times.longest_ns)});
  }
  return table.html();
}

std::string latenessTable(const PageInput& input) {
  const std::vector<std::uint32_t> blamed = blamedRanks(input);
  std::vector<RankLateness> ranks = input.report.pictures->lateness;
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const RankLateness& a, const RankLateness& b) {
                     return a.caused_ns > b.caused_ns;
                   });
  putFirst(blamed, ranks);
  HtmlTable table("lateness");
  addNumbers(table, {"rank", "others waited, sum ms", "certain part ms",
                     "times last", "certainly last", "of operations",
                     "later by p25 ms", "p50 ms", "p75 ms", "max ms"});
  for (const RankLateness& rank : ranks) {
    const auto behind = [&](std::uint64_t ns) {
      return rank.last == 0 ? "-" : ms(ns);
    };
    table.addRow(
        {groupedText(rank.rank), ms(rank.caused_ns), ms(rank.certain_ns),
         groupedText(rank.last), groupedText(rank.last_certain),
         groupedText(rank.ready_times), behind(rank.p25_ns),
         behind(rank.p50_ns), behind(rank.p75_ns), behind(rank.max_ns)},
        isIn(blamed, rank.rank));
  }
  return table.html();
}

std::string nodeName(const LinkPicture& picture, std::uint32_t number) {
  if (number >= picture.nodes.size()) return "ranks of no known node";
  const LinkPicture::Node& node = picture.nodes[number];
  const std::string name = nodeText(node.name);
  return node.more == 0 ? name
                        : absl::StrCat(name, " and ", node.more, " more");
}

std::string linkTable(const Report& report) {
  const LinkPicture& picture = report.pictures->links;
  std::vector<Link> links = picture.links;
  // The slowest messages, then the slowest all-to-alls, then by bytes.
  std::stable_sort(
      links.begin(), links.end(), [&](const Link& a, const Link& b) {
        for (const auto timed : {&Link::messages, &Link::exchanges}) {
          const double a_slow = slownessOf(a.*timed);
          const double b_slow = slownessOf(b.*timed);
          if (a_slow != b_slow) return a_slow > b_slow;
        }
        return a.bytes > b.bytes;
      });
  constexpr std::size_t kShown = 50;
  HtmlTable table("links");
  const bool by_nodes = !picture.nodes.empty();
  if (by_nodes) {
    table.addColumn("from node", Kind::kText);
    table.addColumn("to node", Kind::kText);
  } else {
    addNumbers(table, {"from rank", "to rank"});
  }
  addNumbers(table, {"bytes", "messages GB/s", "all-to-alls GB/s"});
  const auto unit = [&](std::uint32_t number) {
    if (by_nodes) return nodeName(picture, number);
    const std::uint32_t first = number * picture.ranks_per_unit;
    return picture.ranks_per_unit == 1
               ? absl::StrCat(first)
               : absl::StrCat(first, "-", first + picture.ranks_per_unit - 1);
  };
  for (std::size_t i = 0; i < std::min(links.size(), kShown); ++i) {
    const Link& link = links[i];
    table.addRow({unit(link.from), unit(link.to), bytesText(link.bytes),
                  speedText(link.messages), speedText(link.exchanges)});
  }
  return table.html();
}

std::string speedTable(const Report& report) {
  HtmlTable table("speeds");
  table.addColumn("operation", Kind::kText);
  addNumbers(table, {"from size", "operations", "busbw p10 GB/s",
                     "busbw p50 GB/s", "busbw p90 GB/s"});
  table.addColumn("over", Kind::kText);
  const auto gbs = [](std::uint64_t bytes_per_second) {
    return threeDigits(static_cast<double>(bytes_per_second) / 1e9);
  };
  for (const Speed& speed : report.pictures->speeds) {
    table.addRow({speed.op, bytesText(speed.bytes), groupedText(speed.count),
                  gbs(speed.busbw_p10), gbs(speed.busbw_p50),
                  gbs(speed.busbw_p90),
                  speed.of_transfer ? "transfer" : "ready to end (at least)"});
  }
  return table.html();
}

std::string operationTable(const Report& report) {
  HtmlTable table("operations");
  for (const ReportKey key : report.by) {
    const bool is_number = key == ReportKey::kRank;
    table.addColumn(key == ReportKey::kOp ? "operation" : nameOf(key),
                    is_number ? Kind::kNumber : Kind::kText);
  }
  const bool by_parent = report.isBy(ReportKey::kParent);
  if (by_parent) table.addColumn("calls", Kind::kNumber);
  addNumbers(table,
             {by_parent ? "operations" : "calls", "bytes",
              "issue to end p50 ms", "p99 ms", "recorded wait p50 ms", "p99 ms",
              "for the slowest rank p50 ms", "p99 ms", "transfer p50 ms",
              "p99 ms", "busbw GB/s", "share of rank time"});
  const bool has_values = hasValues(report);
  if (has_values) {
    table.addColumn("inputs", Kind::kText);
    table.addColumn("outputs", Kind::kText);
  }
  for (const ReportRow& row : report.rows) {
    if (table.isFull()) {
      table.addRow({});
      continue;
    }
    const CertifiedTimes& peers = row.split.waitForPeers();
    const CertifiedTimes& transfer = row.split.transfer();
    std::vector<std::string> cells = row.keys;
    if (by_parent) cells.push_back(groupedText(row.totals.parents));
    append(cells,
           {groupedText(row.totals.calls), bytesText(row.totals.bytes),
            msOrNone(row.completion, row.completion.p50_ns),
            msOrNone(row.completion, row.completion.p99_ns),
            msOrNone(row.wait, row.wait.p50_ns),
            msOrNone(row.wait, row.wait.p99_ns), certified(peers, peers.p50()),
            certified(peers, peers.p99()), certified(transfer, transfer.p50()),
            certified(transfer, transfer.p99()),
            row.busbw_gbs ? threeDigits(*row.busbw_gbs) : "-",
            shareCell(report, row.totals, report.summary.rankTimeNs())});
    if (has_values) {
      append(cells,
             {valuesCell(row.totals.inputs), valuesCell(row.totals.outputs)});
    }
    table.addRow(cells);
  }
  return table.html();
}

std::string rankTable(const PageInput& input) {
  const Report& report = input.report;
  const std::vector<std::uint32_t> blamed = blamedRanks(input);
  std::vector<RankTotals> ranks = report.ranks;
  putFirst(blamed, ranks);
  HtmlTable table("ranks");
  addNumbers(table, {"rank", "first to last operation s"});
  addTotalColumns(table);
  for (const RankTotals& rank : ranks) {
    std::vector<std::string> cells = {
        groupedText(rank.rank),
        threeDigits(static_cast<double>(rank.run_ns) / 1e9)};
    append(cells, totalCells(report, rank.totals, rank.run_ns));
    table.addRow(cells, isIn(blamed, rank.rank));
  }
  return table.html();
}

std::string groupTable(const Report& report) {
  HtmlTable table("groups");
  table.addColumn("group", Kind::kText);
  table.addColumn("ranks", Kind::kText);
  addTotalColumns(table);
  for (std::size_t i = 0; i < report.group_totals.size(); ++i) {
    if (report.group_totals[i].calls == 0) continue;
    const auto index = static_cast<std::uint32_t>(i);
    std::vector<std::string> cells = {report.groups.label(index),
                                      report.groups.groups()[i].members.text()};
    append(cells, totalCells(report, report.group_totals[i],
                             report.summary.rankTimeNs()));
    table.addRow(cells);
  }
  return table.html();
}

}  // namespace traced
