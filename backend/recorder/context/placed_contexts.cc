#include "recorder/context/placed_contexts.h"

#include <memory>

namespace traced {

ModuleNames& ModuleNames::ofProcess() {
  static auto& names = *new ModuleNames;
  return names;
}

std::uint32_t ModuleNames::numberOf(const std::string& model,
                                    const std::string& module,
                                    const std::string& module_type) {
  std::lock_guard lock(mutex_);
  const auto next = static_cast<std::uint32_t>(names_.size() + 1);
  const auto [entry, is_new] =
      numbers_.try_emplace(Name(model, module, module_type), next);
  if (is_new) names_.push_back(&entry->first);
  return entry->second;
}

void ModuleNames::describe(std::uint32_t number, v1::Context& context) const {
  std::lock_guard lock(mutex_);
  if (number == 0 || number > names_.size()) return;
  const auto& [model, module, module_type] = *names_[number - 1];
  context.set_model(model);
  context.set_module(module);
  context.set_module_type(module_type);
}

const Context* PlacedContexts::at(const Context* known, ModuleAndPhase place) {
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
