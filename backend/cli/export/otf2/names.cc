#include "cli/export/otf2/names.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/common/text.h"

namespace traced::otf2 {
namespace {

absl::string_view key(std::string_view text) {
  return {text.data(), text.size()};
}

// What a number was given to, and whether only now.
template <typename Number>
std::pair<Number, bool> numberOf(absl::flat_hash_map<std::string, Number>& map,
                                 absl::string_view key) {
  const auto known = map.find(key);
  if (known != map.end()) return {known->second, false};
  const auto number = static_cast<Number>(map.size());
  map.emplace(key, number);
  return {number, true};
}

// That of calls of torch.distributed: readers look for communication there.
OTF2_Paradigm paradigmOf(OTF2_RegionRole role) {
  return role == OTF2_REGION_ROLE_CODE ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI;
}

}  // namespace

Names::Names(Archive& archive) : archive_(archive) { text(""); }

OTF2_StringRef Names::text(std::string_view text) {
  const auto [number, is_new] = numberOf(texts_, key(text));
  if (is_new) {
    archive_.check(OTF2_GlobalDefWriter_WriteString(
        archive_.definitions(), number, printable(text).c_str()));
  }
  return number;
}

OTF2_RegionRef Names::region(const std::string& name, OTF2_RegionRole role) {
  const auto [number, is_new] =
      numberOf(regions_, absl::StrCat(name, " ", static_cast<int>(role)));
  if (is_new) {
    const OTF2_StringRef named = text(name);
    archive_.check(OTF2_GlobalDefWriter_WriteRegion(
        archive_.definitions(), number, named, named, text(""), role,
        paradigmOf(role), OTF2_REGION_FLAG_NONE, text(""), 0, 0));
  }
  return number;
}

OTF2_AttributeRef Names::attribute(std::string_view name, OTF2_Type type) {
  const auto [number, is_new] = numberOf(attributes_, key(name));
  if (is_new) {
    archive_.check(OTF2_GlobalDefWriter_WriteAttribute(
        archive_.definitions(), number, text(name), text(""), type));
  }
  return number;
}

}  // namespace traced::otf2
