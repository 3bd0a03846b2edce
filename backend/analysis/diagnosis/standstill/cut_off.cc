#include "analysis/diagnosis/standstill/cut_off.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

bool all(const std::vector<std::uint32_t>& ranks, const auto& condition) {
  return std::all_of(ranks.begin(), ranks.end(), condition);
}

}  // namespace

std::vector<std::uint32_t> killedFirst(
    const GroupStanding& standing, const std::vector<std::uint32_t>& missing) {
  const RankState* first = nullptr;
  for (const std::uint32_t rank : missing) {
    const RankState& state = *standing.job().rank(rank);
    const bool at_work = state.end.wasKilled() &&
                         standing.waitedUntilEndOf(rank) &&
                         !standing.stoodStillBeforeEndOf(rank);
    if (!at_work) return {};
    if (!first || *state.end_seen_ns < *first->end_seen_ns) first = &state;
  }
  std::vector<std::uint32_t> killed = missing;
  std::erase_if(killed, [&](std::uint32_t rank) {
    return standing.job().rank(rank)->end.signal != first->end.signal;
  });
  return killed;
}

bool jobWasEnded(const GroupStanding& standing,
                 const std::vector<std::uint32_t>& missing) {
  constexpr std::int64_t kAtOneTimeNs = 1'000'000'000;
  const auto stood_still = [&](std::uint32_t rank) {
    return standing.stoodStillBeforeEndOf(rank);
  };
  if (std::any_of(missing.begin(), missing.end(), stood_still)) return false;
  const std::vector<std::uint32_t>& ranks = standing.members.present;
  const RankState& one = *standing.job().rank(ranks.front());
  return all(ranks, [&](std::uint32_t rank) {
    const RankState& state = *standing.job().rank(rank);
    const bool together =
        state.end_seen_ns && one.end_seen_ns &&
        std::abs(*state.end_seen_ns - *one.end_seen_ns) < kAtOneTimeNs;
    return state.end.wasInterrupted() ||
           (state.end.wasKilled() && state.end.signal == one.end.signal &&
            together);
  });
}

std::string whoElse(const GroupStanding& standing,
                    const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t kMostBytes = 24;
  std::string text = ranksText(ranks);
  if (text.size() <= kMostBytes) return text;
  const bool all =
      ranks.size() + standing.missing.size() == standing.members.present.size();
  return absl::StrCat(all ? "the other " : "", ranks.size(), " ranks");
}

std::string cutOffText(const GroupStanding& standing,
                       const std::vector<std::uint32_t>& missing,
                       JobVerdict& verdict) {
  const ProcessEnd& first = standing.job().rank(missing.front())->end;
  const bool alike = all(missing, [&](std::uint32_t rank) {
    return standing.stoodStillBeforeEndOf(rank) &&
           endText(standing.job().rank(rank)->end) == endText(first);
  });
  if (!alike || first.wasKilled()) return "";
  std::int64_t waited_ns = *standing.waitedUntilEndOf(missing.front());
  for (const std::uint32_t rank : missing) {
    waited_ns = std::min(waited_ns, *standing.waitedUntilEndOf(rank));
  }
  verdict.waited_ns = waited_ns;
  std::vector<std::uint32_t> waiting = standing.inside;
  addRanks(waiting, standing.failed);
  std::string text = absl::StrCat(
      ranksText(missing), " had not joined ", standing.what(), " when ",
      first.wasInterrupted() ? "the job was interrupted"
                             : (missing.size() == 1 ? "it was" : "they were") +
                                   endText(first).substr(3),
      "; ", waiting.empty() ? "the others" : whoElse(standing, waiting),
      standing.perhaps() == waiting ? " may have waited " : " had waited ",
      secondsText(waited_ns), ".");
  if (missing.size() == 1 && !first.interrupted_at.empty()) {
    absl::StrAppend(&text, " Rank ", missing.front(), " was at ",
                    first.interrupted_at, ".");
  }
  return text;
}

}  // namespace traced
