// Names gives numbers to what events name by them: texts, regions (what a rank
// was in) and attributes (what is told of an event). What is new is defined at
// once, so before whatever names it.

#pragma once

#include <otf2/otf2.h>

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "cli/export/otf2/archive.h"

namespace traced::otf2 {

class Names {
 public:
  explicit Names(Archive& archive);

  // Whatever the text holds, what is defined is harmless.
  OTF2_StringRef text(std::string_view text);
  OTF2_RegionRef region(const std::string& name, OTF2_RegionRole role);
  // The same type whenever it is asked for.
  OTF2_AttributeRef attribute(std::string_view name, OTF2_Type type);

 private:
  Archive& archive_;
  absl::flat_hash_map<std::string, OTF2_StringRef> texts_;
  absl::flat_hash_map<std::string, OTF2_RegionRef> regions_;
  absl::flat_hash_map<std::string, OTF2_AttributeRef> attributes_;
};

}  // namespace traced::otf2
