#include "phrasing/live_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

std::string atText(const std::string& site) {
  return site.empty() ? "" : absl::StrCat(" at ", site);
}

}  // namespace

std::string divergedText(const std::string& group, std::uint64_t seq,
                         const std::vector<CalledAlike>& sides) {
  std::vector<std::string> texts;
  for (const CalledAlike& side : sides) {
    texts.push_back(absl::StrCat(ranksVerb(side.ranks, "calls", "call"), " ",
                                 side.call, atText(side.site)));
  }
  return absl::StrCat("operation #", seq, " of ", group,
                      " differs between ranks: ", absl::StrJoin(texts, "; "));
}

std::string stragglerText(const v1::Straggler& late) {
  return absl::StrCat("rank ", late.rank(),
                      " keeps others waiting: ", percentText(late.of_time()),
                      " of the time, and ", percentText(late.of_waiting()),
                      " of all waiting for a last rank");
}

std::string slowPeerText(const v1::SlowPeer& slow) {
  const Ranks ranks(slow.ranks().begin(), slow.ranks().end());
  return absl::StrCat(
      "transfers ", ranks.size() == 1 ? "of " : "between ", ranksText(ranks),
      " are slow: ", slow.what(), " takes ", secondsText(slow.median_ns()),
      " (median) from when all are ready, three of four of the others ",
      secondsText(slow.others_ns()), " at most; it is ",
      percentText(slow.of_time()), " of the time");
}

std::string waitingText(const std::string& group, const v1::Waiting& waiting,
                        const Ranks& not_called) {
  Ranks ranks(waiting.ranks().begin(), waiting.ranks().end());
  std::sort(ranks.begin(), ranks.end());
  std::string text =
      absl::StrCat(ranksVerb(ranks, "has", "have"), " been in ", waiting.op(),
                   " #", waiting.seq(), " of ", group, " for ",
                   threeDigits(static_cast<double>(waiting.waiting_ns()) / 1e9),
                   " s", atText(waiting.site()));
  if (!not_called.empty()) {
    absl::StrAppend(&text, "; ", ranksVerb(not_called, "has", "have"),
                    " not called it");
  }
  return text;
}

std::string silentHostText(const std::string& address, double silent_s,
                           const std::string& problem) {
  return absl::StrCat(address, " has sent nothing for ", threeDigits(silent_s),
                      " s: its ranks count as not seen",
                      problem.empty() ? "" : absl::StrCat(" (", problem, ")"));
}

}  // namespace traced
