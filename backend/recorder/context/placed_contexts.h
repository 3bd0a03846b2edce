// The modules of the program, and what a thread says of itself with the module
// that runs in it, as one context.

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

// The modules of the program, by number: what their operations are said to be
// of. Equal names have one number, so that a model that is made again and again
// takes no more.
//
// Thread safety: any thread.
class ModuleNames {
 public:
  // Of the process; never destroyed.
  static ModuleNames& ofProcess();
  // From 1.
  std::uint32_t numberOf(const std::string& model, const std::string& module,
                         const std::string& module_type);
  // Sets model, module and module_type; nothing where `number` is none.
  void describe(std::uint32_t number, v1::Context& context) const;

 private:
  using Name = std::tuple<std::string, std::string, std::string>;

  mutable std::mutex mutex_;
  std::map<Name, std::uint32_t> numbers_;
  std::vector<const Name*> names_;  // keys of numbers_
};

// Where among the modules an operation is issued.
struct ModulePlace {
  std::uint32_t module = 0;  // ModuleNames' number, 0: none
  v1::Phase phase = v1::PHASE_UNSPECIFIED;

  bool operator==(const ModulePlace&) const = default;
};

// What a thread says of itself, and the module that runs in it, as one context.
// Not thread safe: each thread has its own.
class PlacedContexts {
 public:
  // `known` (nullptr: nothing) with the place on top. Valid until the next
  // call. Throws std::bad_alloc.
  const Context* at(const Context* known, ModulePlace place);

 private:
  // As many as a model has modules, times what they do.
  static constexpr std::size_t kRemembered = 4096;

  struct Key {
    std::uint64_t known;  // hash of what was known, 0: nothing
    ModulePlace place;

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
