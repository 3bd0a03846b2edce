// Combines a thread's own context with the module that it runs.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "recorder/context/context.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// ModuleNames numbers the modules of the program. Equal names share a number,
// so a model that is created repeatedly uses no more memory.
//
// Thread safety: any thread.
class ModuleNames {
 public:
  // The instance of the process. Never destroyed.
  static ModuleNames& ofProcess();
  // Returns the number of a module, starting at 1.
  std::uint32_t numberOf(const std::string& model, const std::string& module,
                         const std::string& module_type);
  // Sets model, module and module_type of `context` from a module number. Does
  // nothing if `number` is unknown.
  void describe(std::uint32_t number, v1::Context& context) const;

 private:
  using Name = std::tuple<std::string, std::string, std::string>;

  mutable std::mutex mutex_;
  std::map<Name, std::uint32_t> numbers_;
  std::vector<const Name*> names_;  // keys of numbers_
};

// The module and phase in which an operation is issued.
struct ModuleAndPhase {
  std::uint32_t module = 0;  // a ModuleNames number, 0: none
  v1::Phase phase = v1::PHASE_UNSPECIFIED;

  bool operator==(const ModuleAndPhase&) const = default;
};

// PlacedContexts builds and caches the combination of a thread's context and
// its ModuleAndPhase. Not thread safe: one instance per thread.
class PlacedContexts {
 public:
  // Returns `known` (nullptr: empty) with `place` applied. Valid until the next
  // call. Throws std::bad_alloc.
  const Context* at(const Context* known, ModuleAndPhase place);

 private:
  // Enough for every module of a large model in each of its phases.
  static constexpr std::size_t kRemembered = 4096;

  struct Key {
    std::uint64_t known;  // hash of the known context, 0: none
    ModuleAndPhase place;

    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return key.known * 31 + key.place.module * std::size_t{8} +
             static_cast<std::size_t>(key.place.phase);
    }
  };

  std::unordered_map<Key, ContextRef, Hash> contexts_;
};

}  // namespace traced
