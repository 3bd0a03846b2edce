// The modules of the program, by number: what their operations are said to be
// of. Equal names have one number, so that a model that is made again and again
// takes no more.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

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

}  // namespace traced
