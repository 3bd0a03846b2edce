#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/trouble.h"
#include "analysis/diagnosis/words.h"
#include "analysis/names.h"

namespace traced {
namespace {

constexpr std::uint64_t kNoSeq = std::numeric_limits<std::uint64_t>::max();

std::uint64_t firstOf(const SeqRanges& ranges) {
  return ranges.empty() ? kNoSeq : ranges.ranges().front().first;
}

// Judges where one group stands still.
class GroupJudge {
 public:
  GroupJudge(const Knowledge& knowledge, std::uint32_t group)
      : knowledge_(knowledge),
        job_(knowledge.job()),
        group_(group),
        table_(job_.groups[group].collectives),
        members_(job_.membersOf(group)),
        absent_(members_.absent) {}

  std::optional<Trouble> judge(std::uint64_t first_mismatch,
                               std::uint64_t& under_way) {
    if (table_.members().empty()) return std::nullopt;
    locate();
    if (seq_ == kNoSeq) return std::nullopt;
    sortMembers();
    trouble_.explained = first_mismatch > 0 && first_mismatch <= seq_;
    trouble_.inside = inside_;
    addRanks(trouble_.inside, failed_);
    trouble_.missing = missing_;
    JobVerdict& verdict = trouble_.verdict;
    verdict.group = group_;
    verdict.seq = seq_;
    const std::uint32_t signature = table_.signatureOf(seq_);
    if (signature != CollectiveTable::kNoSignature) {
      verdict.op = nameOf(job_.signatures.at(signature).op);
    }
    since();
    const bool found = missing_.empty() ? judgeJoined() : judgeMissing();
    if (!found) {
      under_way += inside_.size();
      return std::nullopt;
    }
    return std::move(trouble_);
  }

 private:
  // The first operation that some have not ended, or have not joined.
  void locate() {
    std::uint64_t least = kNoSeq;
    std::uint64_t most = 0;
    for (const MemberProgress& member : table_.members()) {
      least = std::min(least, member.last);
      most = std::max(most, member.last);
      seq_ = std::min({seq_, firstOf(member.inside), firstOf(member.failed)});
    }
    if (members_.present.size() > table_.members().size()) least = 0;
    if (least < most) seq_ = std::min(seq_, least + 1);
    // Numbers begin where the first trace that kept its beginning begins.
    if (least == 0 && seq_ != kNoSeq &&
        table_.signatureOf(seq_) == CollectiveTable::kNoSignature) {
      seq_ = table_.firstSeq();
    }
  }

  void sortMembers() {
    for (const std::uint32_t rank : members_.present) {
      const MemberProgress* member = table_.member(rank);
      if (!member || member->last < seq_) {
        missing_.push_back(rank);
      } else if (member->failed.contains(seq_)) {
        failed_.push_back(rank);
      } else if (member->inside.contains(seq_)) {
        inside_.push_back(rank);
      } else if (!member->joined(seq_)) {
        unknown_.push_back(rank);
      } else if (member->not_observed.contains(seq_)) {
        not_observed_.push_back(rank);
      } else {
        ended_.push_back(rank);
      }
    }
  }

  // Since when somebody waits, and for how long by the end of the traces.
  void since() {
    for (const auto* ranks : {&inside_, &failed_}) {
      for (const std::uint32_t rank : *ranks) {
        const OperationRef* ref =
            knowledge_.refOn(rank, group_, seq_, trouble_.verdict);
        if (!ref) continue;
        auto& since_ns = trouble_.verdict.since_ns;
        since_ns = std::max(since_ns.value_or(ref->at_ns), ref->at_ns);
        const std::int64_t waited = knowledge_.waitedNs(rank, *ref);
        waited_ns_ = waited_ns_ ? std::min(*waited_ns_, waited) : waited;
        longest_ns_ = std::max(longest_ns_, waited);
      }
    }
  }

  bool closedInside() const {
    return std::any_of(
        inside_.begin(), inside_.end(),
        [this](std::uint32_t rank) { return job_.rank(rank)->closed; });
  }

  // Somebody has not joined.
  bool judgeMissing() {
    std::vector<std::uint32_t> sure, doubtful;
    const std::vector<std::uint32_t> joined = joinedRanks();
    if (joined.empty()) return false;
    const RankState& witness = *job_.rank(joined.front());
    const std::int64_t since_ns =
        trouble_.verdict.since_ns.value_or(witness.last_ns);
    Confidence confidence = Confidence::kCertain;
    bool any_closed = false;
    for (const std::uint32_t rank : missing_) {
      const RankState& state = *job_.rank(rank);
      const Confidence one = knowledge_.absenceOf(state, witness, since_ns);
      if (one == Confidence::kUndecided) {
        doubtful.push_back(rank);
        continue;
      }
      any_closed |= state.closed;
      confidence = std::max(confidence, one);
      sure.push_back(rank);
    }
    const bool matters = !failed_.empty() || any_closed || closedInside() ||
                         longest_ns_ >= knowledge_.options().hung_after_ns;
    if (!matters) return false;
    trouble_.missing = sure;
    // With a file missing it may be the absent who hold these up.
    if (!absent_.empty()) {
      std::erase_if(sure, [this](std::uint32_t rank) {
        return mayBeHeldUp(*job_.rank(rank));
      });
    }
    if (sure.empty()) {
      undecided(doubtful);
      return true;
    }
    blame(joined, sure);
    JobVerdict& verdict = trouble_.verdict;
    verdict.confidence = confidence;
    if (!doubtful.empty()) tellLost(doubtful);
    tellAbsent();
    tellFailures();
    return true;
  }

  // Whether it is inside a message, whose peer may be held up in turn, or
  // inside an operation of another group that lacks a trace.
  bool mayBeHeldUp(const RankState& state) const {
    const auto lacksTrace = [this](std::uint32_t group) {
      return group != group_ && group != GroupCatalog::kNone &&
             !job_.membersOf(group).absent.empty();
    };
    return std::any_of(state.inside.begin(), state.inside.end(),
                       [&](const OperationRef& ref) {
                         return ref.pair || lacksTrace(ref.group);
                       });
  }

  std::vector<std::uint32_t> joinedRanks() const {
    std::vector<std::uint32_t> joined = inside_;
    addRanks(joined, failed_);
    addRanks(joined, not_observed_);
    addRanks(joined, ended_);
    return joined;
  }

  // Whether a rank ended in order without the operation.
  bool processEnded(std::uint32_t rank) const {
    const RankState& state = *job_.rank(rank);
    // One that was recovered may have been killed long after, and one that
    // lived while the others waited had not left.
    const auto& since_ns = trouble_.verdict.since_ns;
    const bool lived_on = since_ns && longest_ns_ > 0 &&
                          state.last_ns - *since_ns > longest_ns_ / 2;
    return state.closed && state.inside.empty() && !state.first_failure &&
           !lived_on;
  }

  void blame(const std::vector<std::uint32_t>& joined,
             const std::vector<std::uint32_t>& missing) {
    JobVerdict& verdict = trouble_.verdict;
    std::vector<std::uint32_t> left;
    for (const std::uint32_t rank : missing) {
      if (processEnded(rank)) left.push_back(rank);
    }
    verdict.kind =
        left.empty() ? VerdictKind::kNeverJoined : VerdictKind::kLeftEarly;
    verdict.ranks = left.empty() ? missing : left;
    verdict.culprits = verdict.ranks;
    const std::string what =
        absl::StrCat(verdict.op, " ", placeText(job_, group_, seq_));
    verdict.summary = absl::StrCat(
        ranksText(verdict.ranks),
        left.empty() ? " never joined " : " left before ", what, ". ",
        ranksText(joined), " issued it", inside_.empty() ? "." : " and wait.");
    for (std::size_t i = 0; i < missing.size() && i < 4; ++i) {
      verdict.evidence.push_back(knowledge_.insteadText(missing[i]));
    }
    // Those who went on are a majority that made one call less.
    const bool all_went_on =
        std::all_of(missing.begin(), missing.end(),
                    [this](std::uint32_t rank) { return processEnded(rank); });
    const bool majority_went_on =
        all_went_on && missing.size() >= joined.size() && absent_.empty();
    if (majority_went_on && missing.size() > joined.size()) {
      verdict.kind = VerdictKind::kNeverJoined;
      verdict.ranks = missing;
      verdict.culprits = joined;
      verdict.summary =
          absl::StrCat("Only ", ranksText(joined), " called ", what, "; ",
                       ranksText(missing), " ended without it.");
    } else if (majority_went_on && missing.size() > 1) {
      addRanks(verdict.culprits, joined);
      verdict.evidence.push_back(kNoMajority);
    } else if (majority_went_on) {
      verdict.evidence.push_back(
          "Its process ended in order: if it was not to make this call, the "
          "other made one too many. Two cannot outvote each other.");
    }
    verdict.advice.push_back(
        absl::StrCat("where ", ranksVerb(verdict.culprits, "is", "are"),
                     " in the program, and its log"));
  }

  // Everybody whose trace is there has joined.
  bool judgeJoined() {
    if (!failed_.empty()) return judgeFailed();
    if (inside_.empty()) return false;
    const bool matters =
        closedInside() ||
        waited_ns_.value_or(0) >= knowledge_.options().hung_after_ns;
    if (!matters) return false;
    JobVerdict& verdict = trouble_.verdict;
    // Who is absent may not have joined, or have called something else.
    if (!absent_.empty()) {
      undecided({});
      return true;
    }
    verdict.kind = VerdictKind::kHungIn;
    verdict.ranks = inside_;
    verdict.culprits = silentInside();
    if (verdict.culprits.size() < inside_.size()) {
      verdict.evidence.push_back(
          absl::StrCat("After joining it ", ranksText(verdict.culprits),
                       " recorded no further call, while the others went on."));
    }
    verdict.confidence =
        unknown_.empty() ? Confidence::kCertain : Confidence::kLikely;
    const std::string what =
        absl::StrCat(verdict.op, " ", placeText(job_, group_, seq_));
    verdict.summary = absl::StrCat(
        ranksVerb(inside_, "hangs", "hang"), " in ", what,
        ended_.empty() ? ": all members joined it, none ended it."
                       : absl::StrCat(": all members joined it, and ",
                                      ranksText(ended_), " ended it."));
    tellWaited();
    if (!not_observed_.empty()) {
      verdict.evidence.push_back(absl::StrCat("Whether it ended on ",
                                              ranksText(not_observed_),
                                              " nobody could observe."));
    }
    verdict.advice.push_back(
        "the network between the members, and the log of the backend");
    return true;
  }

  // A few whose last call it is, while the others made further ones; everybody
  // where there are none.
  std::vector<std::uint32_t> silentInside() const {
    std::vector<std::uint32_t> silent;
    for (const std::uint32_t rank : inside_) {
      const auto& last = job_.rank(rank)->last_issued;
      if (last && last->group == group_ && last->seq == seq_) {
        silent.push_back(rank);
      }
    }
    const bool few =
        !silent.empty() && 2 * silent.size() <= members_.present.size();
    return few ? silent : inside_;
  }

  bool judgeFailed() {
    JobVerdict& verdict = trouble_.verdict;
    const std::string what =
        absl::StrCat(verdict.op, " ", placeText(job_, group_, seq_));
    std::vector<std::uint32_t> dead, silent, threw;
    for (const std::uint32_t rank : inside_) {
      const RankState& state = *job_.rank(rank);
      if (state.recovered) dead.push_back(rank);
      if (!state.endKnown()) silent.push_back(rank);
    }
    for (const std::uint32_t rank : failed_) {
      const RankState& state = *job_.rank(rank);
      const bool here = state.first_failure &&
                        state.first_failure->group == group_ &&
                        state.first_failure->seq == seq_;
      if (here && state.first_failure->threw) threw.push_back(rank);
    }
    // Who is absent may have failed first, and the others only behind it.
    if (!absent_.empty()) {
      undecided({});
      tellFailures();
      return true;
    }
    verdict.confidence = Confidence::kCertain;
    if (!dead.empty()) {
      verdict.kind = VerdictKind::kLeftEarly;
      verdict.ranks = verdict.culprits = dead;
      verdict.summary = absl::StrCat("The process of ", ranksText(dead),
                                     " was killed inside ", what, ".");
    } else if (!silent.empty()) {
      const bool timeout = timedOut();
      verdict.kind = timeout ? VerdictKind::kHungIn : VerdictKind::kLeftEarly;
      verdict.confidence = Confidence::kLikely;
      verdict.ranks = verdict.culprits = silent;
      verdict.summary = absl::StrCat(
          ranksText(silent), " joined ", what,
          " and recorded nothing more, while the others failed in it.");
    } else {
      verdict.kind = VerdictKind::kFailed;
      const bool some_threw = !threw.empty() && threw.size() < failed_.size();
      verdict.ranks = verdict.culprits = some_threw ? threw : failed_;
      verdict.summary =
          absl::StrCat(what, " failed on ", ranksText(verdict.ranks), ".");
    }
    tellFailures();
    verdict.advice.push_back(
        absl::StrCat("the log of ", ranksText(verdict.culprits)));
    return true;
  }

  bool timedOut() const {
    return std::any_of(
        failed_.begin(), failed_.end(), [this](std::uint32_t rank) {
          const auto& failure = job_.rank(rank)->first_failure;
          return failure && (absl::StrContains(failure->error, "imed out") ||
                             absl::StrContains(failure->error, "imeout"));
        });
  }

  void tellFailures() {
    std::size_t told = 0;
    for (const std::uint32_t rank : failed_) {
      const auto& failure = job_.rank(rank)->first_failure;
      if (!failure || failure->group != group_ || failure->seq != seq_) {
        continue;
      }
      if (++told > 3) break;
      trouble_.verdict.evidence.push_back(absl::StrCat(
          "It failed on rank ", rank,
          failure->error.empty() ? "." : absl::StrCat(": ", failure->error)));
    }
  }

  void tellWaited() {
    if (!waited_ns_) return;
    trouble_.verdict.evidence.push_back(
        absl::StrCat("The last of them joined ", secondsText(*waited_ns_),
                     " before the traces end."));
  }

  void tellLost(const std::vector<std::uint32_t>& ranks) {
    for (const std::uint32_t rank : ranks) {
      trouble_.verdict.evidence.push_back(absl::StrCat(
          "The trace of rank ", rank, " lost ", job_.rank(rank)->lost, "."));
    }
  }

  void tellAbsent() {
    if (absent_.empty()) return;
    trouble_.verdict.evidence.push_back(
        absl::StrCat("No trace of ", ranksText(absent_), "."));
  }

  void undecided(const std::vector<std::uint32_t>& lossy) {
    JobVerdict& verdict = trouble_.verdict;
    verdict.kind = VerdictKind::kUndecided;
    verdict.confidence = Confidence::kUndecided;
    verdict.ranks = lossy;
    addRanks(verdict.ranks, absent_);
    verdict.culprits.clear();
    verdict.summary = absl::StrCat(
        verdict.op, " ", placeText(job_, group_, seq_), " did not end on ",
        ranksText(trouble_.inside), ", and why cannot be known.");
    tellLost(lossy);
    tellAbsent();
    if (!absent_.empty()) {
      verdict.advice.push_back(
          absl::StrCat("to decide: the files of ", ranksText(absent_)));
    }
    if (!lossy.empty()) {
      verdict.advice.push_back(
          absl::StrCat("to decide: all records of ", ranksText(lossy),
                       "; a larger TRACED_RING_MB loses fewer"));
    }
  }

  const Knowledge& knowledge_;
  const JobState& job_;
  const std::uint32_t group_;
  const CollectiveTable& table_;
  const JobState::Membership members_;
  const std::vector<std::uint32_t>& absent_;
  std::uint64_t seq_ = kNoSeq;
  // Members, ascending, by how far they got.
  std::vector<std::uint32_t> missing_, failed_, inside_, unknown_,
      not_observed_, ended_;
  // The shortest and the longest wait of those inside.
  std::optional<std::int64_t> waited_ns_;
  std::int64_t longest_ns_ = 0;
  Trouble trouble_;
};

}  // namespace

std::vector<Trouble> findGroupTroubles(
    const Knowledge& knowledge,
    const std::vector<std::uint64_t>& first_mismatch,
    std::uint64_t& under_way) {
  std::vector<Trouble> troubles;
  const JobState& job = knowledge.job();
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    auto trouble =
        GroupJudge(knowledge, group).judge(first_mismatch[group], under_way);
    if (trouble) troubles.push_back(std::move(*trouble));
  }
  return troubles;
}

}  // namespace traced
