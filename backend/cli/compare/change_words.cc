#include "cli/compare/change_words.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/common/text.h"

namespace traced {

std::string ratioCell(double ratio) {
  const double percent = 100 * (ratio - 1);
  // What differs is not shown as equal.
  const bool shows_none = std::abs(percent) < 0.05 && percent != 0;
  return shows_none ? absl::StrFormat("%+.1g %%", percent)
                    : absl::StrFormat("%+.1f %%", percent);
}

const char* kindCell(ChangeKind kind, bool follows) {
  switch (kind) {
    case ChangeKind::kWorse:
      return follows ? "worse, follows" : "WORSE";
    case ChangeKind::kBetter:
      return "better";
    case ChangeKind::kOther:
      return "changed";
    case ChangeKind::kOpen:
      return "open";
    case ChangeKind::kNone:
      break;
  }
  return "";
}

std::string worseSentence(const std::string& first, std::size_t reasons,
                          std::size_t following) {
  std::string text = first;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  absl::StrAppend(&text, ".");
  if (reasons > 1) {
    absl::StrAppend(&text, " ", countOf(reasons - 1, "more change"),
                    " for the worse.");
  }
  if (following > 0) {
    absl::StrAppend(&text, " ", countOf(following, "figure"),
                    following == 1 ? " follows" : " follow", " from that.");
  }
  return text;
}

}  // namespace traced
