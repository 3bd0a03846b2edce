#include "analysis/figures/step_range.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace traced {

Result<StepRange> StepRange::parse(const std::string& text) {
  if (text == "all") return StepRange();
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(text, absl::MaxSplits('-', 1));
  const bool is_range = text.find('-') != std::string::npos;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!absl::SimpleAtoi(ends.first, &first) ||
      !absl::SimpleAtoi(is_range ? ends.second : ends.first, &last) ||
      last < first) {
    return Error{absl::StrCat("\"", text,
                              "\" is no range of steps such as 10-49, and not "
                              "\"all\"")};
  }
  return StepRange(first, last);
}

std::string StepRange::text() const {
  if (all_) return "all";
  return first_ == last_ ? absl::StrCat(first_)
                         : absl::StrCat(first_, "-", last_);
}

}  // namespace traced
