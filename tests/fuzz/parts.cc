#include "fuzz/parts.h"

namespace traced::testing {

std::vector<std::string_view> splitParts(std::string_view input) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = input.find(kPartSeparator);
    parts.push_back(input.substr(0, end));
    if (end == std::string_view::npos) return parts;
    input.remove_prefix(end + kPartSeparator.size());
  }
}

}  // namespace traced::testing
