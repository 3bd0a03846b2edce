#include "cli/common/rank_set.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace traced {

Result<absl::flat_hash_set<std::uint32_t>> parseRanks(const std::string& text) {
  constexpr std::uint32_t kMaxRanks = 16'777'216;
  absl::flat_hash_set<std::uint32_t> ranks;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(part, absl::MaxSplits('/', 1));
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(halves.first, absl::MaxSplits('-', 1));
    const bool is_range = part.find('-') != absl::string_view::npos;
    const bool has_stride = part.find('/') != absl::string_view::npos;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t stride = 1;
    if (!absl::SimpleAtoi(ends.first, &first) ||
        !absl::SimpleAtoi(is_range ? ends.second : ends.first, &last) ||
        (has_stride && !absl::SimpleAtoi(halves.second, &stride)) ||
        stride == 0 || last < first || last - first >= kMaxRanks) {
      return Error{absl::StrCat("\"", part,
                                "\" is no rank and no range of ranks such as "
                                "0-3")};
    }
    for (std::uint64_t rank = first; rank <= last; rank += stride) {
      ranks.insert(static_cast<std::uint32_t>(rank));
    }
  }
  return ranks;
}

}  // namespace traced
