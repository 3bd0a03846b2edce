#include "cli/report/html/page_data.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/common/text.h"
#include "cli/report/report_output.h"

namespace traced {
namespace {

// Of each group that did anything, as many as a picture has room for.
Json groupsOf(const Report& report) {
  constexpr std::size_t kShown = 400;
  std::vector<std::uint32_t> shown;
  for (std::uint32_t i = 0; i < report.group_totals.size(); ++i) {
    if (report.group_totals[i].calls > 0) shown.push_back(i);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return report.group_totals[a].completion.total_ns >
                            report.group_totals[b].completion.total_ns;
                   });
  const std::size_t all = shown.size();
  shown.resize(std::min(all, kShown));
  Json rows = Json::array();
  for (const std::uint32_t i : shown) {
    const CallTotals& totals = report.group_totals[i];
    rows.push_back({{"label", printable(report.groups.label(i))},
                    {"members", report.groups.groups()[i].members.text()},
                    {"size", report.groups.groups()[i].members.size()},
                    {"count", totals.calls},
                    {"bytes", totals.bytes},
                    {"completion", toJson(totals.completion)},
                    {"transfer", toJson(totals.split.transfer)},
                    {"wait_for_peers", toJson(totals.split.wait_for_peers)}});
  }
  return {{"left_out", all - shown.size()}, {"rows", std::move(rows)}};
}

// As the JSON has it; of very many ranks how late those were that cost most.
Json picturesOf(const Report& report) {
  constexpr std::size_t kMostRanks = 1024;
  Json pictures = picturesJson(report);
  auto& ranks = pictures["lateness"].get_ref<Json::array_t&>();
  if (ranks.size() > kMostRanks) {
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const Json& a, const Json& b) {
                       return a["caused_ns"] > b["caused_ns"];
                     });
    ranks.resize(kMostRanks);
  }
  return pictures;
}

}  // namespace

Json pageData(const PageInput& input) {
  Json blamed = Json::array();
  for (const JobVerdict& verdict : input.diagnosis.verdicts) {
    if (verdict.culprit == Confidence::kUndecided) continue;
    for (const std::uint32_t rank : verdict.culprits) {
      if (blamed.size() < 1000) blamed.push_back(rank);
    }
  }
  return {{"pictures", picturesOf(input.report)},
          {"groups", groupsOf(input.report)},
          {"blamed", std::move(blamed)}};
}

}  // namespace traced
