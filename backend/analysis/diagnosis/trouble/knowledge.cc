#include "analysis/diagnosis/trouble/knowledge.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

// Nothing that takes less stands still, whatever the options say.
constexpr std::int64_t kLeastNs = 1'000'000'000;

// It may be in that one: nobody would have seen its end.
bool lastIsUnseen(const RankState& rank) {
  const std::vector<OperationRef>& unseen = rank.last_unseen;
  return std::any_of(unseen.begin(), unseen.end(), [&](const auto& ref) {
    return ref.group == rank.last_issued->group && !rank.last_issued->pair &&
           ref.seq == rank.last_issued->seq;
  });
}

// It may be in one of a group that TRACED_SCOPE leaves out.
const char* recorded(const RankState& rank) {
  return rank.left_out > 0 ? "recorded " : "";
}

}  // namespace

Knowledge::Knowledge(const JobState& job, const DiagnosisOptions& options)
    : job_(job), options_(options) {
  for (const RankState& rank : job.ranks) {
    if (rank.clock >= last_ns_.size()) {
      last_ns_.resize(rank.clock + 1, rank.last_ns);
    }
    last_ns_[rank.clock] = std::max(last_ns_[rank.clock], rank.last_ns);
  }
}

const OperationRef* Knowledge::refOn(std::uint32_t rank, std::uint32_t group,
                                     std::uint64_t seq,
                                     const RankPair& pair) const {
  const RankState* state = job_.rank(rank);
  if (!state) return nullptr;
  const auto is_it = [&](const OperationRef& ref) {
    return ref.group == group && ref.seq == seq && ref.pair == pair;
  };
  for (const OperationRef& ref : state->inside) {
    if (is_it(ref)) return &ref;
  }
  for (const auto* ref :
       {&state->first_failure, &state->last_issued, &state->last_finished}) {
    if (*ref && is_it(**ref)) return &**ref;
  }
  return nullptr;
}

const OperationRef* Knowledge::refAtOrBehind(std::uint32_t rank,
                                             std::uint32_t group,
                                             std::uint64_t seq) const {
  if (const OperationRef* ref = refOn(rank, group, seq, std::nullopt)) {
    return ref;
  }
  const RankState* state = job_.rank(rank);
  if (!state) return nullptr;
  for (const OperationRef& ref : state->last_unseen) {
    if (ref.group == group && !ref.pair && ref.seq >= seq) return &ref;
  }
  return nullptr;
}

std::int64_t Knowledge::waitedNs(std::uint32_t rank,
                                 const OperationRef& ref) const {
  const RankState* state = job_.rank(rank);
  if (!state) return 0;
  // A process that died did not wait until the others did. Of one whose end is
  // not known nothing says that it did not.
  const std::int64_t until_ns =
      state->endKnown() ? state->last_ns : last_ns_[state->clock];
  // Nor did it after that had been cut off.
  return std::min(until_ns, ref.until_ns.value_or(until_ns)) - ref.at_ns;
}

bool Knowledge::expectsDumps(std::uint32_t group) const {
  if (tellsAges()) return false;
  const std::uint64_t world = job_.summary.worldSize();
  return world > 0 ? 4 * job_.ranks.size() >= 3 * world
                   : job_.mostArePresent(group);
}

Confidence Knowledge::absenceOf(const RankState& rank, const RankState& witness,
                                std::int64_t since_ns) const {
  if (!rank.whole()) return Confidence::kUndecided;
  if (rank.endKnown()) return Confidence::kCertain;
  const bool comparable = rank.clock == witness.clock;
  return comparable && isKnownAfter(rank, since_ns) ? Confidence::kCertain
                                                    : Confidence::kLikely;
}

bool Knowledge::isKnownAfter(const RankState& rank,
                             std::int64_t since_ns) const {
  return rank.last_ns - since_ns >= std::max(kLeastNs, options_.hung_after_ns);
}

std::vector<std::uint32_t> Knowledge::blockedIn(
    const std::vector<std::uint32_t>& ranks, std::uint32_t group,
    std::uint64_t seq, const RankPair& pair) const {
  std::vector<std::uint32_t> blocked;
  for (const std::uint32_t rank : ranks) {
    const OperationRef* ref = refOn(rank, group, seq, pair);
    if (ref && ref->blocks) blocked.push_back(rank);
  }
  return blocked;
}

std::vector<std::uint32_t> Knowledge::perhapsIn(
    const std::vector<std::uint32_t>& ranks, std::uint32_t group,
    std::uint64_t seq, const RankPair& pair) const {
  std::vector<std::uint32_t> perhaps;
  for (const std::uint32_t rank : ranks) {
    const OperationRef* ref = refOn(rank, group, seq, pair);
    if (ref && ref->perhaps) perhaps.push_back(rank);
  }
  return perhaps;
}

std::string Knowledge::insteadText(std::uint32_t rank) const {
  const RankState* state = job_.rank(rank);
  if (!state) return absl::StrCat("No trace of rank ", rank, ".");
  std::string text = absl::StrCat("Rank ", rank, " ");
  const auto since = [&](const OperationRef& ref) {
    const std::int64_t ns = waitedNs(rank, ref);
    return ns > 0 ? absl::StrCat(" for ", secondsText(ns)) : std::string();
  };
  if (!state->inside.empty()) {
    const OperationRef& inside =
        tellsAges() ? state->inside.back() : state->inside.front();
    const char* verb = inside.until_ns  ? "was inside "
                       : inside.perhaps ? "may be inside "
                                        : "is inside ";
    absl::StrAppend(&text, verb, placedText(job_, inside), since(inside),
                    inside.until_ns ? ", until it was cut off" : "");
  } else if (state->first_failure) {
    absl::StrAppend(&text, "had failed in ",
                    placedText(job_, *state->first_failure));
  } else if (state->last_issued) {
    absl::StrAppend(&text, "is in no ", recorded(*state), "operation",
                    lastIsUnseen(*state) ? " that would show" : "",
                    "; its last was ", placedText(job_, *state->last_issued));
  } else if (state->forgets) {
    absl::StrAppend(&text, "has nothing under way");
  } else {
    absl::StrAppend(&text, state->left_out > 0
                               ? "called nothing that was recorded"
                               : "called nothing at all");
  }
  if (!tellsAges()) return text + " in its dump.";
  if (state->running) return text + "; its process lives.";
  if (state->end.kind == EndKind::kUnknown) {
    return text + "; its trace does not tell whether its process lives.";
  }
  const std::string& line = state->end.interrupted_at;
  return absl::StrCat(text, "; its process ", endText(state->end),
                      line.empty() ? "" : " at ", line, ".");
}

}  // namespace traced
