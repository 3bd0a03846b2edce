#include "recorder/context/placed_contexts.h"

#include <memory>

#include "recorder/context/module_names.h"

namespace traced {

const Context* PlacedContexts::at(const Context* known, ModulePlace place) {
  const Key key{known ? known->hash() : 0, place};
  const auto found = contexts_.find(key);
  if (found != contexts_.end()) return found->second.get();
  if (contexts_.size() >= kRemembered) contexts_.clear();
  v1::Context change;
  ModuleNames::ofProcess().describe(place.module, change);
  change.set_phase(place.phase);
  return contexts_.emplace(key, std::make_shared<const Context>(known, change))
      .first->second.get();
}

}  // namespace traced
