#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/trouble.h"
#include "analysis/diagnosis/words.h"

namespace traced {
namespace {

// A recorder writes what it has about once a second.
constexpr std::int64_t kWriteIntervalNs = 1'000'000'000;

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

std::int64_t Knowledge::waitedNs(std::uint32_t rank,
                                 const OperationRef& ref) const {
  const RankState* state = job_.rank(rank);
  return state ? last_ns_[state->clock] - ref.at_ns : 0;
}

Confidence Knowledge::absenceOf(const RankState& rank, const RankState& witness,
                                std::int64_t since_ns) const {
  if (!rank.whole()) return Confidence::kUndecided;
  if (rank.endKnown()) return Confidence::kCertain;
  const bool comparable = rank.clock == witness.clock;
  return comparable && rank.last_ns >= since_ns + kWriteIntervalNs
             ? Confidence::kCertain
             : Confidence::kLikely;
}

std::string Knowledge::insteadText(std::uint32_t rank) const {
  const RankState* state = job_.rank(rank);
  if (!state) return absl::StrCat("No trace of rank ", rank, ".");
  std::string text = absl::StrCat("Rank ", rank, " ");
  if (!state->inside.empty()) {
    absl::StrAppend(&text, "is inside ",
                    placedText(job_, state->inside.back()));
  } else if (state->first_failure) {
    absl::StrAppend(&text, "had failed in ",
                    placedText(job_, *state->first_failure));
  } else if (state->last_issued) {
    absl::StrAppend(&text, "is in no ", recorded(*state),
                    "operation; its last was ",
                    placedText(job_, *state->last_issued));
  } else {
    absl::StrAppend(&text, state->left_out > 0
                               ? "called nothing that was recorded"
                               : "called nothing at all");
  }
  if (state->closed) return text + "; its process ended in order.";
  if (state->recovered) {
    return text + "; its process was killed, its last records were recovered.";
  }
  return text + "; its trace does not tell whether its process lives.";
}

}  // namespace traced
