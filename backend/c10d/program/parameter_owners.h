// Maps parameters to their modules. Parameters are identified by address,
// because even a weak reference would be visible to swap_tensors. A tensor
// found at the address later counts only if it has the same number of elements,
// and only while the model lives.

#pragma once

#include <ATen/core/TensorBase.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace traced {

// Thread safety: any thread.
class ParameterOwners {
 public:
  // Parameters with the ModuleNames number of their module. The first entry of
  // a parameter wins.
  using Owned = std::vector<std::pair<at::Tensor, std::uint32_t>>;

  // The instance of the process. Never destroyed.
  static ParameterOwners& ofProcess();

  // Replaces the parameters of a model. `model` is an id chosen by the caller.
  void set(std::uint64_t model, const Owned& owned);
  // Forgets the parameters of a model.
  void remove(std::uint64_t model);
  // Returns the module number, or 0 if unknown. Blocks only while set() or
  // remove() runs.
  std::uint32_t of(const at::TensorBase& parameter) const noexcept;

 private:
  struct Owner {
    std::int64_t elements;
    std::uint32_t module;
  };
  using Owners = std::unordered_map<const void*, Owner>;

  void publish();

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Owners> models_;
  std::shared_ptr<const Owners> all_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace traced
