#include "fuzz/parts.h"

#include <utility>

#include "trace_io/payload_guard.h"

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

std::optional<v1::Payload> payloadOf(std::string_view part) {
  std::optional<v1::Payload> payload(std::in_place);
  if (!isPlausiblePayload(part, part.size()) ||
      !payload->ParseFromArray(part.data(), static_cast<int>(part.size()))) {
    return std::nullopt;
  }
  return payload;
}

}  // namespace traced::testing
