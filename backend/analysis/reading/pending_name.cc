#include "analysis/reading/pending_name.h"

#include <algorithm>
#include <cstddef>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace traced {
namespace {

constexpr char kEnding[] = ".tmp";
constexpr std::size_t kDigits = 16;

}  // namespace

std::string pendingNameOf(const std::string& path) {
  std::random_device random;
  return absl::StrCat(path, ".", absl::Hex(random(), absl::kZeroPad8),
                      absl::Hex(random(), absl::kZeroPad8), kEnding);
}

bool isPendingName(const std::string& path) {
  absl::string_view name = path;
  if (!absl::ConsumeSuffix(&name, kEnding) || name.size() <= kDigits) {
    return false;
  }
  const absl::string_view digits = name.substr(name.size() - kDigits);
  return name[name.size() - kDigits - 1] == '.' &&
         std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit);
}

}  // namespace traced
