#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"
#include "analysis/job/dependency.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// Collective `seq` ended on the rank of `ended` before the rank of `called`
// called it.
struct EarlyEnd {
  std::uint64_t seq = 0;
  const Timing* ended = nullptr;
  const Timing* called = nullptr;

  std::int64_t ns() const { return called->called_ns - ended->ended_ns; }
};

class Search {
 public:
  Search(const JobState& job, std::uint32_t group)
      : job_(job), group_(job.groups[group]), timings_(bySeq(group_.timings)) {
    if (group_.several_threads || !job.names.namesOf(group).empty()) {
      sure_until_ = 0;
    }
    for (const MemberProgress& member : group_.collectives.members()) {
      if (member.first != 1) sure_until_ = 0;
      for (const SeqRanges* unsure : {&member.holes, &member.failed}) {
        if (unsure->empty()) continue;
        sure_until_ = std::min(sure_until_, unsure->ranges().front().first);
      }
    }
    if (!group_.collectives.disputes().empty()) {
      until_ = group_.collectives.disputes().begin()->first;
    }
  }

  // Returns the first early end. Counts all with equally certain numbers.
  std::optional<EarlyEnd> find() {
    std::optional<EarlyEnd> first;
    for (std::size_t i = 0; i < timings_.size();) {
      std::size_t end = i + 1;
      while (end < timings_.size() && timings_[end].seq == timings_[i].seq) {
        ++end;
      }
      const std::uint64_t seq = timings_[i].seq;
      if (first && isSure(first->seq) && !isSure(seq)) break;
      if (const auto early =
              findIn(absl::MakeConstSpan(timings_).subspan(i, end - i))) {
        ++count_;
        if (!first) first = early;
      }
      i = end;
    }
    return first;
  }

  // Returns whether `seq` is the same collective on all members. Earlier
  // numbers must not be lost or used by failed calls, and threads must not race
  // for numbers.
  bool isSure(std::uint64_t seq) const { return seq <= sure_until_; }
  std::size_t count() const { return count_; }

 private:
  bool needsAll(std::uint64_t seq) const {
    const std::uint32_t id = group_.collectives.signatureOf(seq);
    if (id == CollectiveTable::kNoSignature || seq >= until_) return false;
    const Signature& called = job_.signatures.at(id);
    return needsAllMembers(called.op) &&
           (called.op == v1::OPERATION_BARRIER || called.bytes() > 0);
  }

  // Compares only ranks that share a clock, so the comparison is exact.
  std::optional<EarlyEnd> findIn(absl::Span<const Timing> timings) const {
    std::optional<EarlyEnd> found;
    if (timings.size() < 2 || !needsAll(timings.front().seq)) return found;
    for (const Timing& called : timings) {
      for (const Timing& ended : timings) {
        if (ended.ended_ns >= called.called_ns || !sameClock(ended, called)) {
          continue;
        }
        const EarlyEnd early{called.seq, &ended, &called};
        if (!found || early.ns() > found->ns()) found = early;
      }
    }
    return found;
  }

  bool sameClock(const Timing& a, const Timing& b) const {
    return job_.rank(a.rank)->clock == job_.rank(b.rank)->clock;
  }

  const JobState& job_;
  const GroupState& group_;
  const Timings timings_;
  std::uint64_t sure_until_ = ~std::uint64_t{0};
  // The ranks' calls differ from this number on.
  std::uint64_t until_ = ~std::uint64_t{0};
  std::size_t count_ = 0;
};

using Groups = std::vector<std::uint32_t>;

bool hasSharedName(const std::vector<Groups>& shared, std::uint32_t group) {
  return std::any_of(shared.begin(), shared.end(), [&](const auto& groups) {
    return std::binary_search(groups.begin(), groups.end(), group);
  });
}

JobVerdict verdictOf(const JobState& job, std::uint32_t group,
                     const Search& search, const EarlyEnd& early) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kEndedUnjoined;
  verdict.finding =
      search.isSure(early.seq) ? Confidence::kCertain : Confidence::kLikely;
  verdict.ranks = {early.ended->rank, early.called->rank};
  std::sort(verdict.ranks.begin(), verdict.ranks.end());
  verdict.group = group;
  verdict.seq = early.seq;
  const CollectiveTable& table = job.groups[group].collectives;
  verdict.op = nameOf(job.signatures.at(table.signatureOf(early.seq)).op);
  verdict.since_ns = early.ended->ready_ns;
  verdict.summary = {EndedUnjoined{{verdict.op, group, early.seq},
                                   early.ended->rank,
                                   early.called->rank,
                                   early.ns()}};
  verdict.reasons.push_back(ConnectedElsewhere{early.ended->rank, group});
  if (search.count() > 1) {
    verdict.reasons.push_back(EndedLikeThat{search.count()});
  }
  verdict.advice.push_back(AskWhereCreated{group});
  return verdict;
}

}  // namespace

std::vector<JobVerdict> findEarlyEnds(const JobState& job) {
  std::vector<JobVerdict> verdicts;
  const std::vector<Groups> shared = job.names.shared(job.catalog);
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    const JobGroup& known = job.catalog.groups()[group];
    const EngineTraits& engine = known.engine();
    // Ends of tensors on a device are reported by its stream, not by the
    // engine.
    if (!engine.on_host || !engine.ends_prove_starts || known.leg != "cpu") {
      continue;
    }
    Search search(job, group);
    const auto early = search.find();
    if (!early) continue;
    if (!search.isSure(early->seq) && !hasSharedName(shared, group)) continue;
    verdicts.push_back(verdictOf(job, group, search, *early));
  }
  return verdicts;
}

}  // namespace traced
