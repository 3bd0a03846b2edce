// The label of a process group in output for users.

#pragma once

#include <string>

namespace traced {

// Returns the description, or the name if the description is empty or torch's
// placeholder "undefined".
inline const std::string& groupLabel(const std::string& name,
                                     const std::string& desc) {
  return desc.empty() || desc == "undefined" ? name : desc;
}

}  // namespace traced
