#include "phrasing/verdict_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "phrasing/phrase.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Returns true for the fact that an operation is called at another call site.
bool isCalledElsewhere(const Fact& fact) {
  const auto* call = std::get_if<CallFact>(&fact);
  return call && std::holds_alternative<CalledElsewhere>(*call);
}

// Returns the confidence of the finding and of the blame. Names the culprits if
// `summary` does not.
std::string surenessOf(const JobVerdict& verdict, const std::string& summary) {
  if (verdict.finding == Confidence::kUndecided) return "undecided";
  std::string text = nameOf(verdict.finding);
  if (verdict.culprits.empty()) return text;
  if (verdict.culprit == verdict.finding) {
    const std::string who = ranksText(verdict.culprits);
    const bool named = summary.find(who) != std::string::npos;
    return named ? text : absl::StrCat(text, "; check ", who);
  }
  const std::string who =
      ranksVerb(verdict.culprits, "is to blame", "are to blame");
  return verdict.culprit == Confidence::kUndecided
             ? absl::StrCat(text, "; the traces do not show who is to blame")
             : absl::StrCat(text, "; that ", who, ": ",
                            nameOf(verdict.culprit));
}

}  // namespace

std::string summaryOf(const JobState& job, const JobVerdict& verdict) {
  std::string text;
  const Fact* before = nullptr;
  for (const Fact& fact : verdict.summary) {
    std::string next = phrase(job, fact);
    if (before && isCalledElsewhere(*before)) {
      text += "; ";
      if (next.starts_with("Only ")) next[0] = absl::ascii_tolower(next[0]);
    } else if (before) {
      text += " ";
    }
    text += next;
    before = &fact;
  }
  if (before && isCalledElsewhere(*before)) text += ".";
  return text;
}

std::string headlineOf(const JobState& job, const JobVerdict& verdict) {
  const std::string summary = summaryOf(job, verdict);
  return absl::StrCat(summary, " (", surenessOf(verdict, summary), ")");
}

std::vector<std::string> phrases(const JobState& job,
                                 const std::vector<Fact>& facts) {
  std::vector<std::string> texts;
  for (const Fact& fact : facts) {
    texts.push_back(isCalledElsewhere(fact) ? phrase(job, fact) + "."
                                            : phrase(job, fact));
  }
  return texts;
}

std::string consequenceOf(const JobState& job, const JobVerdict& verdict) {
  return verdict.consequence ? phrase(job, *verdict.consequence) : "";
}

}  // namespace traced
