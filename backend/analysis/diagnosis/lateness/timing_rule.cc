#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/diagnosis/lateness/compared_ranks.h"
#include "analysis/diagnosis/lateness/lateness.h"
#include "analysis/diagnosis/lateness/lateness_rules.h"
#include "analysis/statistics/median.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

void doubtAbsent(const JobState& job, JobVerdict& verdict) {
  const std::vector<std::uint32_t> absent = job.membersOf(verdict.group).absent;
  if (absent.empty()) return;
  verdict.finding = Confidence::kLikely;
  verdict.reasons.push_back(NoTrace{absent});
}

// Returns whether at least half of the lateness is certain. With several
// clocks, the certain part is slightly less than the total.
bool isProven(const LateCollective& late) {
  return late.proven_ns >= late.lateness_ns / 2;
}
std::int64_t reportedLatenessNs(const LateCollective& late) {
  return isProven(late) ? late.proven_ns : late.lateness_ns;
}

JobVerdict reportLate(const JobState& job, std::uint32_t group,
                      const LateCollective& late, bool on_one_clock) {
  const bool proven = isProven(late);
  const std::int64_t late_ns = reportedLatenessNs(late);
  JobVerdict verdict;
  verdict.kind = VerdictKind::kLate;
  // The time at which it joined is recorded. That no other rank delayed it is
  // not.
  verdict.finding = proven ? Confidence::kCertain : Confidence::kLikely;
  verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = {late.rank};
  verdict.group = group;
  verdict.seq = late.seq;
  const CollectiveTable& table = job.groups[group].collectives;
  const std::uint32_t signature = table.signatureOf(late.seq);
  if (signature != CollectiveTable::kNoSignature) {
    verdict.op = nameOf(job.signatures.at(signature).op);
  }
  verdict.since_ns = late.at_ns - late_ns;
  verdict.summary = {
      JoinedLate{late.rank, late_ns, {verdict.op, group, late.seq}}};
  verdict.reasons.push_back(PlainFact::kTenTimesUsual);
  if (!on_one_clock) {
    verdict.reasons.push_back(proven ? PlainFact::kAtLeastThat
                                     : PlainFact::kComparedOnHost);
  }
  verdict.advice.push_back(AskBeforeCall{late.rank});
  return verdict;
}

// Returns a test whether a lateness is at least `late_after_ns` and ten times
// the median.
StandsOut standsOut(const GroupLateness& lateness,
                    const DiagnosisOptions& options) {
  std::vector<std::int64_t> all;
  for (const LateCollective& one : lateness.collectives()) {
    if (one.sampled) all.push_back(one.lateness_ns);
  }
  const std::int64_t usual = all.empty() ? 0 : upperMedian(std::move(all));
  return [usual, least = options.late_after_ns](const LateCollective& one) {
    return one.lateness_ns >= least && one.lateness_ns / 10 >= usual;
  };
}

// Adds who was late, how often and when, if several delays stand out.
void reportOften(const std::vector<LateCollective>& late, std::int64_t span_ns,
                 JobVerdict& verdict) {
  constexpr std::size_t kMaxReported = 8;
  std::int64_t all_ns = 0;
  std::map<std::uint32_t, std::vector<const LateCollective*>> by_rank;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < late.size(); ++i) {
    all_ns += reportedLatenessNs(late[i]);
    by_rank[late[i].rank].push_back(&late[i]);
    changes += i > 0 && late[i].rank != late[i - 1].rank;
  }
  verdict.ranks.clear();
  for (const auto& [rank, times] : by_rank) {
    verdict.ranks.push_back(rank);
    if (verdict.ranks.size() > kMaxReported) continue;
    OwnLateness own{rank, times.size(), 0, {}};
    for (const LateCollective* each : times) {
      own.all_ns += reportedLatenessNs(*each);
      if (own.first.size() == kMaxReported) continue;
      own.first.emplace_back(each->seq, reportedLatenessNs(*each));
    }
    verdict.reasons.push_back(std::move(own));
  }
  verdict.culprits = verdict.ranks;
  const bool in_turn = by_rank.size() > 1 && 2 * changes >= late.size() - 1;
  verdict.summary.insert(
      verdict.summary.begin(),
      JoinedLateOften{verdict.ranks, verdict.group, late.size(), in_turn,
                      all_ns, span_ns});
}

// When ranks were late to collectives: the latest one, and others that were no
// less than a fifth as late.
struct LateRanks {
  std::map<std::uint32_t, LateTimes> latest;
  std::map<std::uint32_t, LateTimes> also;

  // `before`: the collective before, or nullptr.
  void add(const LateCollective* before, const LateCollective& collective) {
    const std::int64_t longest_ns = reportedLatenessNs(collective);
    for (std::size_t i = 0; i < collective.lateness.size(); ++i) {
      const std::uint32_t rank = collective.ready_times[i].rank;
      const bool is_latest = rank == collective.rank;
      const std::int64_t late_ns =
          is_latest ? longest_ns : collective.lateness[i];
      if (late_ns < longest_ns / kOnTimeBelow) continue;
      LateTimes& times = (is_latest ? latest : also)[rank];
      times.rank = rank;
      addLateness(late_ns, before, collective, times);
    }
  }
};

std::vector<LateTimes> united(std::map<std::uint32_t, LateTimes> late) {
  std::vector<LateTimes> all;
  for (auto& [rank, times] : late) {
    unite(times.windows);
    all.push_back(std::move(times));
  }
  return all;
}

// Reports the longest delay that stands out, and the number of such delays.
// Absent if none does.
std::optional<JobVerdict> findLate(const JobState& job, std::uint32_t group,
                                   const GroupLateness& lateness,
                                   const StandsOut& stands_out) {
  const std::vector<LateCollective>& collectives = lateness.collectives();
  if (collectives.empty()) return std::nullopt;
  const LateCollective& most =
      *std::max_element(collectives.begin(), collectives.end(),
                        [](const LateCollective& a, const LateCollective& b) {
                          return a.lateness_ns < b.lateness_ns;
                        });
  if (!stands_out(most)) return std::nullopt;
  JobVerdict verdict = reportLate(job, group, most, lateness.onOneClock());
  std::vector<LateCollective> all;
  LateRanks late;
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    if (!stands_out(collectives[i])) continue;
    all.push_back(collectives[i]);
    late.add(i > 0 ? &collectives[i - 1] : nullptr, collectives[i]);
  }
  verdict.late = united(std::move(late.latest));
  verdict.also_late = united(std::move(late.also));
  if (all.size() < 2) return verdict;
  if (!std::all_of(all.begin(), all.end(), isProven)) {
    verdict.finding = Confidence::kLikely;
  }
  reportOften(all, collectives.back().at_ns - collectives.front().at_ns,
              verdict);
  return verdict;
}

}  // namespace

std::vector<JobVerdict> findTimingVerdicts(const JobState& job,
                                           const DiagnosisOptions& options) {
  std::vector<JobVerdict> verdicts;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    // A rank without a trace may have been even later. With few such ranks the
    // verdict is only weakened. With many, nobody is known to have kept the
    // others waiting.
    if (!job.mostArePresent(group)) continue;
    const GroupLateness lateness(job, group);
    const StandsOut stands_out = standsOut(lateness, options);
    for (auto& verdict : {findStraggler(group, lateness, stands_out),
                          findLate(job, group, lateness, stands_out)}) {
      if (!verdict) continue;
      verdicts.push_back(*verdict);
      doubtAbsent(job, verdicts.back());
    }
  }
  return verdicts;
}

}  // namespace traced
