#include "cli/common/groups_of_one.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "cli/common/text.h"

namespace traced {

std::vector<std::string> groupsOfOne(
    const GroupCatalog& groups,
    const std::function<bool(std::uint32_t)>& is_used) {
  const auto& all = groups.groups();
  const bool has_larger = std::any_of(
      all.begin(), all.end(),
      [](const JobGroup& group) { return group.members.size() > 1; });
  std::vector<std::string> labels;
  if (!has_larger) return labels;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].members.size() == 1 && is_used(i)) {
      labels.push_back(all[i].label);
    }
  }
  return labels;
}

std::string groupsOfOneText(const std::vector<std::string>& labels) {
  constexpr std::size_t kMostNamed = 4;
  if (labels.empty()) return "";
  std::string names;
  for (std::size_t i = 0; i < std::min(labels.size(), kMostNamed); ++i) {
    absl::StrAppend(&names, i > 0 ? ", " : "", "\"", printable(labels[i]),
                    "\"");
  }
  if (labels.size() > kMostNamed) {
    absl::StrAppend(&names, " and ", labels.size() - kMostNamed, " more");
  }
  return absl::StrCat("Groups of one member exchange nothing: ", names, ".\n");
}

}  // namespace traced
