#include "analysis/digest/digest_report.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/digest/digest_adder.h"
#include "analysis/digest/digest_rows.h"
#include "analysis/digest/digest_source.h"
#include "analysis/digest/stream_digest.h"
#include "analysis/digest/stream_facts.h"
#include "analysis/reading/stream_reader.h"

namespace traced {
namespace {

ClockSummary clocksOf(const v1::DigestLook& look) {
  ClockSummary clocks;
  clocks.clocks = look.clocks();
  clocks.aligned = look.aligned();
  clocks.by_wall_clock = look.by_wall_clock();
  if (look.has_certified_within_ns()) {
    clocks.certified = {look.certified_within_ns(),
                        {look.worst_rank(), look.other_worst_rank()}};
  }
  return clocks;
}

// Of streams that were digested apart: how many there are.
ClockSummary clocksApart(const TraceSet& set) {
  const std::vector<std::uint32_t> ids = clockIds(set);
  absl::flat_hash_set<std::uint32_t> seen;
  for (const std::size_t i : set.selected) seen.insert(ids[i]);
  ClockSummary clocks;
  clocks.clocks = seen.size();
  return clocks;
}

std::string apartText(std::size_t looks) {
  return absl::StrCat(
      "these are ", looks,
      " digests that were made apart: what ranks of different ones waited for "
      "each other is not known, nor is what became slower in the course of the "
      "run; `tracectl digest` of all traces at once has both");
}

class DigestReporter {
 public:
  DigestReporter(const TraceSet& set, std::vector<ReportKey> by)
      : set_(set), source_(set) {
    report_.by = std::move(by);
  }

  Report build(bool fold) && {
    std::size_t unreadable =
        source_.forEach([this](std::size_t, v1::Payload& payload) {
          const FactsOfStream facts = readFacts(payload);
          report_.summary.add(facts.table, facts.operations);
          report_.groups.add(facts.table.header.attempt(),
                             facts.table.definitions.groups());
        });
    const GroupRoles roles(report_.groups);
    if (fold) report_.roles = roles.many();
    addSums(fold ? &roles : nullptr, unreadable);
    describe(unreadable);
    return std::move(report_);
  }

 private:
  void addSums(const GroupRoles* roles, std::size_t& unreadable) {
    const DigestReportPlan plan{report_.by, report_.groups, roles};
    const ReportPlan no_plan{.keys = RowKeys({}, nullptr)};
    ReportSums sums(no_plan);
    std::size_t place = 0;
    source_.forEach([&](std::size_t, v1::Payload& payload) {
      if (!add(plan, sums, place++, payload)) ++unreadable;
    });
    if (!report_.groups.groups().empty()) {
      const auto last = report_.groups.groups().size() - 1;
      sums.addToGroup(static_cast<std::uint32_t>(last), {});
    }
    std::move(sums).finish(readingThreads(set_), report_);
  }

  bool add(const DigestReportPlan& plan, ReportSums& sums, std::size_t place,
           v1::Payload& payload) {
    const FactsOfStream facts = readFacts(payload);
    const StreamTable& table = facts.table;
    std::vector<std::uint32_t> groups;
    for (const GroupDefinition& group : table.definitions.groups()) {
      groups.push_back(report_.groups.find(table.header.attempt(), group));
    }
    const DigestMeanings meanings{
        [&](std::uint32_t id) { return table.definitions.text(id); },
        [&](std::uint32_t id) { return table.definitions.group(id); },
        table.header.rank()};
    std::optional<std::vector<DigestRow>> rows =
        readRows(payload.digest(), meanings);
    if (!rows) return false;
    DigestAdder(plan, sums, place, table, groups)
        .add(*std::move(rows), payload.digest());
    return true;
  }

  void describe(std::size_t unreadable) {
    std::vector<std::string> warnings;
    const std::vector<v1::DigestLook>& looks = source_.looks();
    for (const v1::DigestLook& look : looks) {
      warnings.insert(warnings.end(), look.clock_warning().begin(),
                      look.clock_warning().end());
    }
    if (looks.size() == 1) {
      report_.clocks = clocksOf(looks[0]);
      report_.window_ns = looks[0].window_ns();
    } else {
      report_.clocks = clocksApart(set_);
      for (ReportRow& row : report_.rows) row.split.forgetTrends();
      warnings.push_back(apartText(looks.size()));
    }
    if (unreadable > 0) {
      warnings.push_back(absl::StrCat(
          "digests that cannot be read, and are left out: ", unreadable));
    }
    report_.summary.setClockWarnings(std::move(warnings));
  }

  const TraceSet& set_;
  const DigestSource source_;
  Report report_;
};

}  // namespace

bool isDigestKey(ReportKey key) {
  return key == ReportKey::kRank ||
         std::find(kDigestKeys.begin(), kDigestKeys.end(), key) !=
             kDigestKeys.end();
}

Report reportOfDigests(const TraceSet& set, std::vector<ReportKey> by,
                       bool fold) {
  return DigestReporter(set, std::move(by)).build(fold);
}

}  // namespace traced
