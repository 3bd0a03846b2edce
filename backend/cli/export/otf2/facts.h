// What is told of the next event.

#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>

#include "cli/export/operation_facts.h"
#include "cli/export/otf2/names.h"

namespace traced::otf2 {

class Facts : public FactTaker {
 public:
  Facts(Archive& archive, Names& names)
      : archive_(archive), names_(names), list_(OTF2_AttributeList_New()) {}
  ~Facts() override { OTF2_AttributeList_Delete(list_); }
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  void take(const char* name, std::uint64_t value) override {
    archive_.check(OTF2_AttributeList_AddUint64(
        list_, names_.attribute(name, OTF2_TYPE_UINT64), value));
  }
  void take(const char* name, const std::string& text) override {
    archive_.check(OTF2_AttributeList_AddStringRef(
        list_, names_.attribute(name, OTF2_TYPE_STRING), names_.text(text)));
  }

  void clear() {
    archive_.check(OTF2_AttributeList_RemoveAllAttributes(list_));
  }
  // For the library, which empties it.
  OTF2_AttributeList* list() { return list_; }

 private:
  Archive& archive_;
  Names& names_;
  OTF2_AttributeList* const list_;
};

}  // namespace traced::otf2
