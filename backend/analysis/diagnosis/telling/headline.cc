#include "analysis/diagnosis/telling/headline.h"

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

std::string surenessOf(const JobVerdict& verdict) {
  if (verdict.finding == Confidence::kUndecided) return "undecided";
  std::string text = nameOf(verdict.finding);
  if (verdict.culprits.empty()) return text;
  if (verdict.culprit == verdict.finding) {
    const std::string who = ranksText(verdict.culprits);
    const bool said = verdict.summary.find(who) != std::string::npos;
    return said ? text : absl::StrCat(text, "; look at ", who);
  }
  const std::string who =
      ranksVerb(verdict.culprits, "is to blame", "are to blame");
  return verdict.culprit == Confidence::kUndecided
             ? absl::StrCat(text, "; who is to blame cannot be told")
             : absl::StrCat(text, "; that ", who, ": ",
                            nameOf(verdict.culprit));
}

}  // namespace

std::string headlineOf(const JobVerdict& verdict) {
  return absl::StrCat(verdict.summary, " (", surenessOf(verdict), ")");
}

}  // namespace traced
