#include "cli/serve/live_findings.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/common/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

LiveFinding divergenceOf(const HostsJob& job, const HostsJob::Group& group,
                         std::uint64_t seq) {
  using Part = v1::Divergence::Part;
  std::map<std::uint64_t, std::vector<const Part*>> by_call;
  for (const auto& [rank, part] : group.disputed.at(seq)) {
    by_call[part.signature()].push_back(&part);
  }
  // The fewest first: they are more likely to be those that left the program.
  std::vector<std::vector<const Part*>> sides;
  for (auto& [signature, parts] : by_call) sides.push_back(std::move(parts));
  std::stable_sort(
      sides.begin(), sides.end(),
      [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<std::string> texts;
  Json calls = Json::array();
  for (const auto& parts : sides) {
    Ranks ranks;
    for (const Part* part : parts) ranks.push_back(part->rank());
    const Part& one = *parts.front();
    texts.push_back(absl::StrCat(
        ranksVerb(ranks, "calls", "call"), " ", one.call(),
        one.site().empty() ? "" : absl::StrCat(" at ", one.site())));
    calls.push_back({{"ranks", ranks}, {"call", one.call()}});
    if (!one.site().empty()) calls.back()["site"] = one.site();
  }
  LiveFinding finding;
  finding.name = absl::StrCat("diverged|", job.title(), "|", group.label);
  finding.text = printable(absl::StrCat(
      job.title(), ": number ", seq, " of ", group.label,
      " is not the same operation on all ranks: ", absl::StrJoin(texts, "; ")));
  finding.json = {{"kind", "diverged"}, {"certain", true},
                  {"job", job.name()},  {"group", group.label},
                  {"seq", seq},         {"calls", calls}};
  return finding;
}

LiveFinding stragglerOf(const HostsJob& job, const v1::Straggler& late) {
  LiveFinding finding;
  finding.name = absl::StrCat("straggler|", job.title(), "|", late.rank());
  finding.text = printable(absl::StrCat(
      job.title(), ": rank ", late.rank(), " keeps others waiting: ",
      percentText(late.of_time()), " of the time, and ",
      percentText(late.of_waiting()), " of all waiting for a last rank"));
  finding.json = {
      {"kind", "straggler"},       {"certain", false},
      {"job", job.name()},         {"rank", late.rank()},
      {"of_time", late.of_time()}, {"of_waiting", late.of_waiting()}};
  return finding;
}

LiveFinding slowPeerOf(const HostsJob& job, const v1::SlowPeer& slow) {
  const Ranks numbers(slow.ranks().begin(), slow.ranks().end());
  const std::string ranks = ranksText(numbers);
  LiveFinding finding;
  finding.name = absl::StrCat("slow_peer|", job.title(), "|", ranks);
  finding.text = printable(absl::StrCat(
      job.title(), ": transfers ", numbers.size() == 1 ? "of " : "between ",
      ranks, " are slow: ", slow.what(), " takes ",
      secondsText(slow.median_ns()),
      " (median) from when all are ready, three of four of the others ",
      secondsText(slow.others_ns()), " at most; it is ",
      percentText(slow.of_time()), " of the time"));
  finding.json = {{"kind", "slow_peer"},
                  {"certain", false},
                  {"job", job.name()},
                  {"group", slow.group()},
                  {"ranks", numbers},
                  {"what", slow.what()},
                  {"median_ns", slow.median_ns()},
                  {"others_ns", slow.others_ns()},
                  {"of_time", slow.of_time()}};
  return finding;
}

LiveFinding waitingOf(const HostsJob& job, const HostsJob::Group& group,
                      const v1::Waiting& waiting) {
  Ranks behind, elsewhere;
  group.members.forEach([&](std::uint32_t rank) {
    const auto last = group.last_seqs.find(rank);
    if (last == group.last_seqs.end()) {
      elsewhere.push_back(rank);
    } else if (last->second < waiting.seq()) {
      behind.push_back(rank);
    }
  });
  Ranks ranks(waiting.ranks().begin(), waiting.ranks().end());
  std::sort(ranks.begin(), ranks.end());
  std::string text = absl::StrCat(
      job.title(), ": ", ranksVerb(ranks, "has", "have"), " been in ",
      waiting.op(), " ", waiting.seq(), " of ", group.label, " for ",
      threeDigits(static_cast<double>(waiting.waiting_ns()) / 1e9), " s",
      waiting.site().empty() ? "" : absl::StrCat(" at ", waiting.site()));
  if (!behind.empty()) {
    absl::StrAppend(&text, "; ", ranksVerb(behind, "has", "have"),
                    " not called it");
  }
  LiveFinding finding;
  finding.name = absl::StrCat("waiting|", job.title(), "|", group.label, "|",
                              waiting.seq());
  finding.text = printable(text);
  finding.json = {{"kind", "waiting"},
                  {"certain", false},
                  {"job", job.name()},
                  {"group", group.label},
                  {"seq", waiting.seq()},
                  {"op", waiting.op()},
                  {"waiting_ns", waiting.waiting_ns()},
                  {"waiting", ranks},
                  {"not_called", behind},
                  {"on_other_hosts", elsewhere}};
  if (!waiting.site().empty()) finding.json["site"] = waiting.site();
  return finding;
}

}  // namespace

std::vector<LiveFinding> findingsOf(const std::vector<HostsJob>& jobs) {
  std::vector<LiveFinding> findings;
  for (const HostsJob& job : jobs) {
    for (const HostsJob::Group& group : job.groups()) {
      if (const std::uint64_t seq = group.divergedAt()) {
        findings.push_back(divergenceOf(job, group, seq));
      }
    }
    for (const HostsJob::Part& part : job.parts()) {
      if (part.digest->has_straggler()) {
        findings.push_back(stragglerOf(job, part.digest->straggler()));
      }
      for (const v1::SlowPeer& slow : part.digest->slow_peers()) {
        findings.push_back(slowPeerOf(job, slow));
      }
    }
    for (const HostsJob::Group& group : job.groups()) {
      for (const auto& [seq, waiting] : group.waiting) {
        findings.push_back(waitingOf(job, group, waiting));
      }
    }
  }
  for (LiveFinding& finding : findings) finding.json["text"] = finding.text;
  return findings;
}

}  // namespace traced
