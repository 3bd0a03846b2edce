#include "cli/export/parquet/group_places.h"

#include <algorithm>
#include <numeric>

namespace traced {

GroupPlaces::GroupPlaces(const GroupCatalog& groups)
    : places_(groups.groups().size()) {
  std::vector<std::uint32_t> by_label(places_.size());
  std::iota(by_label.begin(), by_label.end(), 0);
  std::sort(by_label.begin(), by_label.end(), [&](auto a, auto b) {
    return groups.groups()[a].label < groups.groups()[b].label;
  });
  for (std::size_t i = 0; i < by_label.size(); ++i) {
    places_[by_label[i]] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace traced
