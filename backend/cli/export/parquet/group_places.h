// GroupPlaces are the places of a job's groups in the order of their labels.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/job/group_catalog.h"

namespace traced {

class GroupPlaces {
 public:
  explicit GroupPlaces(const GroupCatalog& groups);

  // What has no group comes last.
  std::uint32_t of(std::uint32_t group) const {
    return group == GroupCatalog::kNone ? group : places_[group];
  }

 private:
  std::vector<std::uint32_t> places_;
};

}  // namespace traced
