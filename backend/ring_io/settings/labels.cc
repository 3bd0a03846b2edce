#include "ring_io/settings/labels.h"

#include <algorithm>
#include <cctype>

namespace traced {
namespace {

// Bounded, because every chunk contains them.
constexpr std::size_t kMaxLabels = 64;
constexpr std::size_t kMaxLabelBytes = 2048;
constexpr std::size_t kMaxPlatformBytes = 256;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string shown(const std::string& text) {
  constexpr std::size_t kMaxShown = 64;
  if (text.size() <= kMaxShown) return '"' + text + '"';
  return '"' + text.substr(0, kMaxShown) + "...\"";
}

bool isLabelText(const std::string& text) {
  return !text.empty() && text.size() <= kMaxPlatformBytes &&
         std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return std::iscntrl(c); });
}

}  // namespace

Result<Labels> parseLabels(const std::string& text) {
  if (text.size() > kMaxLabelBytes) {
    return Error{"they have more than " + std::to_string(kMaxLabelBytes) +
                 " bytes"};
  }
  Labels labels;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = trimmed(text.substr(at, comma - at));
    at = comma + 1;
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) return Error{shown(item) + " has no ="};
    const std::string key = trimmed(item.substr(0, equals));
    if (key.empty()) return Error{shown(item) + " has no key"};
    if (!labels.try_emplace(key, trimmed(item.substr(equals + 1))).second) {
      return Error{shown(key) + " is set twice"};
    }
  }
  if (labels.size() > kMaxLabels) {
    return Error{"more than " + std::to_string(kMaxLabels) + " labels"};
  }
  return labels;
}

void addPlatformLabels(
    Labels& labels,
    const std::function<std::optional<std::string>(const std::string&)>&
        lookup) {
  for (const auto& [variable, key] :
       {std::pair("GPU_SERIAL", "gpu_serial"), std::pair("VM_ID", "vm_id")}) {
    const auto value = lookup(variable);
    if (value && isLabelText(*value)) labels.try_emplace(key, *value);
  }
}

}  // namespace traced
