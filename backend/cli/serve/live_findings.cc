#include "cli/serve/live_findings.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/diagnosis/telling/words.h"
#include "analysis/stream/names.h"
#include "base/clock.h"
#include "cli/common/text.h"

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

// `title`: of the job.
LiveFinding divergenceOf(const LiveJob& job, const std::string& title,
                         const OrderWatch::Divergence& divergence) {
  std::map<std::uint64_t, std::vector<const OrderWatch::Part*>> by_call;
  for (const OrderWatch::Part& part : divergence.parts) {
    by_call[part.signature].push_back(&part);
  }
  // The fewest first: they are more likely to be those that left the program.
  std::vector<std::vector<const OrderWatch::Part*>> sides;
  for (auto& [signature, parts] : by_call) sides.push_back(std::move(parts));
  std::sort(sides.begin(), sides.end(),
            [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<std::string> texts;
  Json calls = Json::array();
  for (const auto& parts : sides) {
    Ranks ranks;
    for (const OrderWatch::Part* part : parts) ranks.push_back(part->rank);
    std::sort(ranks.begin(), ranks.end());
    const OrderWatch::Part& one = *parts.front();
    texts.push_back(
        absl::StrCat(ranksVerb(ranks, "calls", "call"), " ", one.call,
                     one.site.empty() ? "" : absl::StrCat(" at ", one.site)));
    calls.push_back({{"ranks", ranks}, {"call", one.call}});
    if (!one.site.empty()) calls.back()["site"] = one.site;
  }
  const std::string& group = job.groups().label(divergence.group);
  LiveFinding finding;
  finding.name = absl::StrCat("diverged|", title, "|", group);
  finding.text = printable(absl::StrCat(
      title, ": number ", divergence.seq, " of ", group,
      " is not the same operation on all ranks: ", absl::StrJoin(texts, "; ")));
  finding.json = {{"kind", "diverged"},        {"certain", true},
                  {"job", job.header().job()}, {"group", group},
                  {"seq", divergence.seq},     {"calls", calls}};
  return finding;
}

LiveFinding stragglerOf(const LiveJob& job, const std::string& title,
                        const LateRank::Late& late) {
  LiveFinding finding;
  finding.name = absl::StrCat("straggler|", title, "|", late.rank);
  finding.text = printable(absl::StrCat(
      title, ": rank ", late.rank, " keeps others waiting: ",
      percentText(late.of_time), " of the time, and ",
      percentText(late.of_waiting), " of all waiting for a last rank"));
  finding.json = {{"kind", "straggler"},       {"certain", false},
                  {"job", job.header().job()}, {"rank", late.rank},
                  {"of_time", late.of_time},   {"of_waiting", late.of_waiting}};
  return finding;
}

LiveFinding slowPeerOf(const LiveJob& job, const std::string& title,
                       const LiveLinks::Slow& slow) {
  const std::string ranks = ranksText(slow.ranks);
  LiveFinding finding;
  finding.name = absl::StrCat("slow_peer|", title, "|", ranks);
  finding.text = printable(absl::StrCat(
      title, ": transfers ", slow.ranks.size() == 1 ? "of " : "between ", ranks,
      " are slow: ", slow.what, " takes ", secondsText(slow.median_ns),
      " (median) from when all are ready, three of four of the others ",
      secondsText(slow.others_ns), " at most; it is ",
      percentText(slow.of_time), " of the time"));
  finding.json = {
      {"kind", "slow_peer"},         {"certain", false},
      {"job", job.header().job()},   {"group", job.groups().label(slow.group)},
      {"ranks", slow.ranks},         {"what", slow.what},
      {"median_ns", slow.median_ns}, {"others_ns", slow.others_ns},
      {"of_time", slow.of_time}};
  return finding;
}

// An operation that is under way for long.
struct Waiting {
  Ranks ranks;
  std::string op;
  std::string site;
  std::int64_t since_ns = 0;
};

class JobWaits {
 public:
  JobWaits(const LiveJob& job, std::string title, std::int64_t after_ns)
      : job_(job),
        title_(std::move(title)),
        now_ns_(readClock(CLOCK_MONOTONIC)),
        after_ns_(after_ns) {}

  void addTo(std::vector<LiveFinding>& findings) {
    for (const auto& member : job_.members()) gather(*member);
    for (const auto& [key, waiting] : waiting_) {
      findings.push_back(findingOf(key.first, key.second, waiting));
    }
  }

 private:
  void gather(const LiveJob::Member& member) {
    const StreamTable& table = member.stream.table();
    member.stream.forEachOpen([&](const AssembledOperation& op) {
      const auto age_ns = between(op.issued, Instant(now_ns_));
      const MatchedCall* call = member.calls ? member.calls->of(op) : nullptr;
      if (!call || call->key.source != OperationKey::kNoRank || !age_ns ||
          *age_ns < static_cast<std::uint64_t>(after_ns_)) {
        return;
      }
      Waiting& waiting = waiting_[{call->key.group, op.seq}];
      if (waiting.ranks.empty()) {
        waiting.op = nameOf(table.callOf(op)->op());
        waiting.site = table.siteOf(op);
        waiting.since_ns = op.issued.ns();
      }
      waiting.ranks.push_back(table.header.rank());
      waiting.since_ns = std::min(waiting.since_ns, op.issued.ns());
    });
  }

  LiveFinding findingOf(std::uint32_t group, std::uint64_t seq,
                        const Waiting& waiting) const {
    Ranks behind, elsewhere;
    job_.groups().groups()[group].members.forEach([&](std::uint32_t rank) {
      const LiveJob::Member* member = job_.find(rank);
      if (!member) {
        elsewhere.push_back(rank);
      } else if (member->lastSeq(group) < seq) {
        behind.push_back(rank);
      }
    });
    Ranks ranks = waiting.ranks;
    std::sort(ranks.begin(), ranks.end());
    const double seconds =
        static_cast<double>(now_ns_ - waiting.since_ns) / 1e9;
    const std::string& label = job_.groups().label(group);
    std::string text = absl::StrCat(
        title_, ": ", ranksVerb(ranks, "has", "have"), " been in ", waiting.op,
        " ", seq, " of ", label, " for ", threeDigits(seconds), " s",
        waiting.site.empty() ? "" : absl::StrCat(" at ", waiting.site));
    if (!behind.empty()) {
      absl::StrAppend(&text, "; ", ranksVerb(behind, "has", "have"),
                      " not called it");
    }
    LiveFinding finding;
    finding.name = absl::StrCat("waiting|", title_, "|", label, "|", seq);
    finding.text = printable(text);
    finding.json = {{"kind", "waiting"},
                    {"certain", false},
                    {"job", job_.header().job()},
                    {"group", label},
                    {"seq", seq},
                    {"op", waiting.op},
                    {"waiting_ns", now_ns_ - waiting.since_ns},
                    {"waiting", ranks},
                    {"not_called", behind},
                    {"on_other_hosts", elsewhere}};
    if (!waiting.site.empty()) finding.json["site"] = waiting.site;
    return finding;
  }

  const LiveJob& job_;
  const std::string title_;
  const std::int64_t now_ns_;
  const std::int64_t after_ns_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Waiting> waiting_;
};

}  // namespace

std::vector<LiveFinding> findingsOf(const WatchedJobs& watched,
                                    std::chrono::nanoseconds waiting_after) {
  std::vector<LiveFinding> findings;
  for (const auto& job : watched.jobs()) {
    for (const OrderWatch::Divergence& each : job->live.divergences()) {
      if (each.parts.size() > 1) {
        findings.push_back(divergenceOf(job->live, job->title(), each));
      }
    }
    const bool alive =
        std::any_of(job->ranks.begin(), job->ranks.end(),
                    [](const WatchedJobs::Rank& rank) { return rank.alive; });
    if (const auto& late = job->live.late(); alive && late) {
      findings.push_back(stragglerOf(job->live, job->title(), *late));
    }
    for (const LiveLinks::Slow& slow : job->live.slowLinks()) {
      if (alive) findings.push_back(slowPeerOf(job->live, job->title(), slow));
    }
    if (alive) {
      JobWaits(job->live, job->title(), waiting_after.count()).addTo(findings);
    }
  }
  for (LiveFinding& finding : findings) finding.json["text"] = finding.text;
  return findings;
}

}  // namespace traced
