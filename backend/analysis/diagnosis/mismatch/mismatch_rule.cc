#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analysis/diagnosis/mismatch/call_difference.h"
#include "analysis/diagnosis/mismatch/mismatch_rules.h"
#include "analysis/diagnosis/program/blame.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

constexpr std::uint32_t kUnknown = CollectiveTable::kNoSignature;
// Number of calls to search, from a mismatch on, for one that is too early or
// too late.
constexpr std::uint64_t kWindow = 8;

std::vector<std::uint32_t> ranksOf(const Variant& variant) {
  std::vector<std::uint32_t> ranks;
  for (const SeqRanges::Range& range : variant.ranks.ranges()) {
    for (std::uint64_t rank = range.first; rank <= range.last; ++rank) {
      ranks.push_back(static_cast<std::uint32_t>(rank));
    }
  }
  return ranks;
}

VerdictKind kindOf(CallShift shift, VerdictKind difference) {
  switch (shift) {
    case CallShift::kSwapped:
      return VerdictKind::kOrderMismatch;
    case CallShift::kExtra:
    case CallShift::kLeftOut:
    case CallShift::kExtraOrLeftOut:
      return VerdictKind::kOpMismatch;
    case CallShift::kNone:
    case CallShift::kUnclear:
      break;
  }
  return difference;
}

// Returns whether the fact states that the odd ranks are one call ahead or
// behind.
bool isShiftByOne(const Fact& fact) {
  const auto* call = std::get_if<CallFact>(&fact);
  const auto* step = call ? std::get_if<OutOfStep>(call) : nullptr;
  return step && (step->shift == CallShift::kExtra ||
                  step->shift == CallShift::kLeftOut ||
                  step->shift == CallShift::kExtraOrLeftOut);
}

class GroupMismatches {
 public:
  GroupMismatches(const JobState& job, ProgramOrder& order, std::uint32_t group)
      : job_(job),
        order_(order),
        group_(group),
        table_(job.groups[group].collectives),
        absent_(job.membersOf(group).absent) {}

  std::vector<JobVerdict> find() {
    for (const auto& [seq, variants] : table_.disputes()) judge(seq, variants);
    for (auto& [key, found] : found_) {
      if (found.repeats == 0) continue;
      verdicts_[found.verdict].reasons.push_back(SameAgain{found.repeats});
    }
    return std::move(verdicts_);
  }

 private:
  struct Found {
    std::size_t verdict = 0;
    std::uint64_t repeats = 0;
  };

  void judge(std::uint64_t seq, std::vector<Variant> variants) {
    // A rank that is out of step remains so: its later mismatches are
    // consequences.
    std::erase_if(variants, [this](const Variant& variant) {
      return out_of_step_.contains(
          static_cast<std::uint32_t>(variant.ranks.ranges().front().first));
    });
    if (variants.size() < 2) return;
    std::stable_sort(
        variants.begin(), variants.end(),
        [](const Variant& a, const Variant& b) { return a.count > b.count; });
    std::uint32_t joined = 0;
    for (const Variant& variant : variants) joined += variant.count;
    const bool clear = 2 * variants[0].count > joined;
    if (!clear) return compareTie(seq, variants);
    for (std::size_t i = 1; i < variants.size(); ++i) {
      compare(seq, variants[0], variants[i], nullptr);
    }
  }

  // Judges a tie, in which both variants have equally many ranks. Names the
  // ranks that left the program's order, or else all.
  void compareTie(std::uint64_t seq, std::vector<Variant>& variants) {
    const Ranks first = ranksOf(variants[0]);
    Ranks all = first;
    addRanks(all, ranksOf(variants[1]));
    const auto [place, is_new] = answers_.try_emplace(all);
    ProgramOrder::Answer& answer = place->second;
    if (is_new) answer = order_.deviantsAt(group_, seq, std::nullopt, all);
    if (!answer.deviants.empty() &&
        std::includes(first.begin(), first.end(), answer.deviants.begin(),
                      answer.deviants.end())) {
      std::swap(variants[0], variants[1]);
    }
    compare(seq, variants[0], variants[1], &answer);
  }

  CallSequences sequencesFrom(std::uint64_t seq, std::uint32_t usual,
                              std::uint32_t odd) const {
    CallSequences sequences;
    for (std::uint64_t s = seq; s < seq + kWindow; ++s) {
      if (table_.signatureOf(s) == CollectiveTable::kNoSignature) break;
      sequences.usual.push_back(table_.signatureOn(s, usual));
      sequences.odd.push_back(table_.signatureOn(s, odd));
    }
    return sequences;
  }

  // Compares two variants. `answer` is set for a tie only.
  void compare(std::uint64_t seq, const Variant& usual, const Variant& odd,
               const ProgramOrder::Answer* answer) {
    const bool clear = answer == nullptr;
    const Signature& expected = job_.signatures.at(usual.signature);
    const Signature& called = job_.signatures.at(odd.signature);
    const auto usual_rank =
        static_cast<std::uint32_t>(usual.ranks.ranges().front().first);
    const auto odd_rank =
        static_cast<std::uint32_t>(odd.ranks.ranges().front().first);
    const CallSequences sequences = sequencesFrom(seq, usual_rank, odd_rank);
    const CallShift shift = shiftOf(sequences);
    const auto difference = differenceOf(expected, called);
    if (!difference) return;  // the calls may differ this way
    const VerdictKind kind = kindOf(shift, *difference);
    const std::vector<std::uint32_t> odd_ranks = ranksOf(odd);
    const auto [place, is_new] =
        found_.try_emplace({kind, odd_rank}, Found{verdicts_.size(), 0});
    if (!is_new) {
      ++place->second.repeats;
      return;
    }
    JobVerdict& verdict = verdicts_.emplace_back();
    verdict.kind = kind;
    verdict.group = group_;
    verdict.seq = seq;
    verdict.op = nameOf(expected.op);
    verdict.ranks = odd_ranks;
    if (!clear) {
      const std::vector<std::uint32_t> others = ranksOf(usual);
      verdict.ranks.insert(verdict.ranks.end(), others.begin(), others.end());
      std::sort(verdict.ranks.begin(), verdict.ranks.end());
    }
    verdict.culprits = verdict.ranks;
    addDifference(verdict, usual, odd, shift, answer);
    // The other half of a swap is not a separate finding.
    if (shift != CallShift::kNone ||
        (sequences.odd.size() > 1 && sequences.odd[1] != kUnknown &&
         sequences.odd[1] != sequences.usual[1])) {
      for (const std::uint32_t rank : odd_ranks) out_of_step_.insert(rank);
    }
  }

  void addDifference(JobVerdict& verdict, const Variant& usual,
                     const Variant& odd, CallShift shift,
                     const ProgramOrder::Answer* answer) const {
    const bool clear = answer == nullptr;
    const RankList& members = job_.catalog.groups()[group_].members;
    const std::string expected =
        textOf(job_.signatures.at(usual.signature), members);
    const std::string called =
        textOf(job_.signatures.at(odd.signature), members);
    const std::vector<std::uint32_t> odd_ranks = ranksOf(odd);
    const std::vector<std::uint32_t> usual_ranks = ranksOf(usual);
    verdict.summary = {CallsDiffer{odd_ranks, called, group_, verdict.seq,
                                   usual_ranks, expected}};
    if (shift != CallShift::kNone) {
      verdict.reasons.push_back(OutOfStep{shift, odd_ranks, usual_ranks});
    }
    // Only for the first collective in which ranks of the group differ.
    if (verdict.seq > 1 && verdict.seq == verdicts_.front().seq) {
      verdict.reasons.push_back(AgreedBefore{group_});
    }
    if (!clear && absent_.empty()) {
      verdict.reasons.push_back(PlainFact::kTwoCannotOutvote);
    }
    // The difference is recorded. That the majority is right is not.
    verdict.finding = Confidence::kCertain;
    verdict.culprit = clear ? Confidence::kLikely : Confidence::kUndecided;
    if (!absent_.empty()) doubt(verdict, clear);
    if (answer) nameDeviants(*answer, verdict);
    if (reportRace(usual_ranks, odd_ranks, verdict)) return;
    const bool named = blameBySite(usual_ranks, odd_ranks, verdict);
    if (named) return;
    const auto& asked =
        verdict.culprits.empty() ? verdict.ranks : verdict.culprits;
    verdict.advice.push_back(AskBefore{asked, group_, verdict.seq});
  }

  // Reports threads that issue calls in a random order. No rank is then more to
  // blame than another. Returns false if no race is found.
  bool reportRace(const Ranks& usual, const Ranks& odd,
                  JobVerdict& verdict) const {
    const auto race =
        order_.threadRace(group_, verdict.seq, usual.front(), odd.front());
    if (!race) return false;
    verdict.kind = VerdictKind::kOrderMismatch;
    verdict.summary.insert(verdict.summary.begin(), ThreadsRace{group_});
    verdict.reasons = {
        ThreadOrder{usual, verdict.seq, race->site, race->next_site, odd}};
    verdict.ranks = usual;
    addRanks(verdict.ranks, odd);
    verdict.culprits = verdict.ranks;
    verdict.culprit = Confidence::kUndecided;
    verdict.advice.push_back(AskThreads{group_});
    return true;
  }

  // Looks for an earlier shifted call that matched silently, using call sites.
  // Returns whether a rank is blamed.
  bool blameBySite(const Ranks& usual, const Ranks& odd,
                   JobVerdict& verdict) const {
    if (!absent_.empty()) return false;
    Ranks both = usual;
    addRanks(both, odd);
    const auto sites = order_.sitesOf(group_, both);
    const auto shift = sites ? sites->findShift(usual, odd) : std::nullopt;
    if (!shift || shift->may_be_another_line) return false;
    // If the signatures already differ here, they prove more than call sites.
    if (shift->seq >= verdict.seq) return false;
    const bool explains =
        shift->are_new && sites->everMade(shift->makers.front(),
                                          shift->others.front(), verdict.seq);
    if (!explains) return false;
    std::erase_if(verdict.reasons, isShiftByOne);
    nameShift(*shift, verdict);
    return shift->blamed != SiteShift::Blamed::kNobody;
  }

  void doubt(JobVerdict& verdict, bool clear) const {
    verdict.reasons.push_back(NoTrace{absent_});
    if (clear) return;
    verdict.culprits.clear();
    verdict.reasons.push_back(NeedsOtherRanks{absent_});
  }

  const JobState& job_;
  ProgramOrder& order_;
  const std::uint32_t group_;
  const CollectiveTable& table_;
  const std::vector<std::uint32_t> absent_;
  absl::flat_hash_set<std::uint32_t> out_of_step_;
  // Answers for ties, by the ranks involved.
  std::map<Ranks, ProgramOrder::Answer> answers_;
  std::map<std::pair<VerdictKind, std::uint32_t>, Found> found_;
  std::vector<JobVerdict> verdicts_;
};

}  // namespace

std::vector<JobVerdict> findMismatches(const JobState& job,
                                       ProgramOrder& order) {
  std::vector<JobVerdict> verdicts;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    for (JobVerdict& verdict : GroupMismatches(job, order, group).find()) {
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace traced
