#include "cli/serve/live_findings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/action_json.h"
#include "phrasing/live_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

// Returns the command that diagnoses the job from its traces.
std::string diagnoseCommand(const HostsJob& job) {
  if (job.own && !job.own->ranks.empty() && job.own->ranks.front().news) {
    const std::filesystem::path trace =
        job.own->ranks.front().news->trace().path;
    return absl::StrCat("tracectl diagnose ",
                        shellWord(trace.parent_path().string()));
  }
  return absl::StrCat("tracectl diagnose TRACES   # on host ",
                      printable(job.parts().front().host));
}

// Creates a finding. `name` identifies its subject within the job and kind.
LiveFinding findingOf(const HostsJob& job, const char* kind,
                      const std::string& name, const std::string& text) {
  LiveFinding finding;
  finding.name = absl::StrCat(kind, "|", job.title(), "|", name);
  finding.title = job.title();
  finding.text = printable(absl::StrCat(job.title(), ": ", text));
  finding.command = printable(diagnoseCommand(job));
  finding.json = {{"kind", kind}, {"certain", false}, {"job", job.name()}};
  return finding;
}

// Returns the hosts that run some of the ranks.
std::vector<std::string> hostsOf(const HostsJob& job, const Ranks& ranks) {
  std::vector<std::string> hosts;
  for (const HostsJob::Part& part : job.parts()) {
    const auto& own = part.digest->ranks();
    const bool runs_some =
        std::any_of(own.begin(), own.end(), [&](const v1::RankDigest& rank) {
          return std::binary_search(ranks.begin(), ranks.end(), rank.rank());
        });
    if (runs_some) hosts.push_back(part.host);
  }
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

// Adds the action. `ranks`: those that it is about, unless it is none.
void recommend(const HostsJob& job, ActionRule rule, Ranks ranks,
               LiveFinding& finding) {
  std::sort(ranks.begin(), ranks.end());
  RecommendedAction action{
      rule, traitsOf(rule).strongest, std::move(ranks), {}, {}};
  action.hosts = hostsOf(job, action.ranks);
  finding.json["action"] = actionJson(action);
}

LiveFinding divergenceOf(const HostsJob& job, const HostsJob::Group& group,
                         std::uint64_t seq) {
  std::map<std::uint64_t, CalledAlike> by_call;
  for (const auto& [rank, part] : group.disputed.at(seq)) {
    CalledAlike& side = by_call[part.signature()];
    if (side.ranks.empty()) side = {{}, part.call(), part.site()};
    side.ranks.push_back(part.rank());
  }
  // The smallest sides first: they more likely deviate from the program.
  std::vector<CalledAlike> sides;
  for (auto& [signature, side] : by_call) sides.push_back(std::move(side));
  std::stable_sort(sides.begin(), sides.end(),
                   [](const CalledAlike& a, const CalledAlike& b) {
                     return a.ranks.size() < b.ranks.size();
                   });
  Json calls = Json::array();
  Ranks all;
  for (const CalledAlike& side : sides) {
    all.insert(all.end(), side.ranks.begin(), side.ranks.end());
    calls.push_back({{"ranks", side.ranks}, {"call", side.call}});
    if (!side.site.empty()) calls.back()["site"] = side.site;
  }
  LiveFinding finding = findingOf(job, "diverged", group.label,
                                  divergedText(group.label, seq, sides));
  finding.is_severe = true;
  finding.json["certain"] = true;
  finding.json.update({{"group", group.label}, {"seq", seq}, {"calls", calls}});
  recommend(job, ActionRule::kCallsDiffer, std::move(all), finding);
  return finding;
}

LiveFinding stragglerOf(const HostsJob& job, const v1::Straggler& late) {
  LiveFinding finding = findingOf(job, "straggler", absl::StrCat(late.rank()),
                                  stragglerText(late));
  finding.causes = {late.rank()};
  finding.json.update({{"rank", late.rank()},
                       {"of_time", late.of_time()},
                       {"of_waiting", late.of_waiting()}});
  recommend(job, ActionRule::kSlowRank, {}, finding);
  return finding;
}

LiveFinding slowPeerOf(const HostsJob& job, const v1::SlowPeer& slow) {
  const Ranks ranks(slow.ranks().begin(), slow.ranks().end());
  LiveFinding finding =
      findingOf(job, "slow_peer", ranksText(ranks), slowPeerText(slow));
  finding.causes = ranks;
  finding.json.update({{"group", slow.group()},
                       {"ranks", ranks},
                       {"what", slow.what()},
                       {"median_ns", slow.median_ns()},
                       {"others_ns", slow.others_ns()},
                       {"of_time", slow.of_time()}});
  recommend(job, ActionRule::kSlowLink, {}, finding);
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
  LiveFinding finding =
      findingOf(job, "waiting", absl::StrCat(group.label, "|", waiting.seq()),
                waitingText(group.label, waiting, behind));
  finding.is_severe = true;
  finding.causes = behind;
  finding.json.update({{"group", group.label},
                       {"seq", waiting.seq()},
                       {"op", waiting.op()},
                       {"waiting_ns", waiting.waiting_ns()},
                       {"waiting", ranks},
                       {"not_called", behind},
                       {"on_other_hosts", elsewhere}});
  if (!waiting.site().empty()) finding.json["site"] = waiting.site();
  recommend(job, ActionRule::kOnlyObserved, {}, finding);
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
