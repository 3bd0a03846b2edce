// GroupRoles puts groups together that play one role: that are called alike and
// have as many members. Of a mesh each row of ranks is a group of its own.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"

namespace traced {

// "dp (64 groups of 8)".
std::string groupsText(const std::string& label, std::size_t groups,
                       std::size_t members);

class GroupRoles {
 public:
  // So many groups of one role are told as one.
  static constexpr std::size_t kMany = 4;

  explicit GroupRoles(const GroupCatalog& catalog);

  // "dp (64 groups of 8)" of a group that is one of many, else its own label.
  const std::string& label(std::uint32_t group) const {
    return group < labels_.size() ? labels_[group] : unknown_;
  }
  bool isOfMany(std::uint32_t group) const { return is_of_many_[group]; }
  // Of each role with many groups, in their order, its label and groups.
  struct Role {
    std::string label;
    std::vector<std::uint32_t> groups;
  };
  const std::vector<Role>& many() const { return many_; }

 private:
  // Per group of the catalog.
  std::vector<std::string> labels_;
  std::vector<bool> is_of_many_;
  std::vector<Role> many_;
  const std::string unknown_ = "-";
};

}  // namespace traced
