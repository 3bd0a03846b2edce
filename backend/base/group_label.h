// What people know a process group by.

#pragma once

#include <string>

namespace traced {

// Its description; its name where it has none, or what torch calls none.
inline const std::string& groupLabel(const std::string& name,
                                     const std::string& desc) {
  return desc.empty() || desc == "undefined" ? name : desc;
}

}  // namespace traced
