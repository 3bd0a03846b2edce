// Which module a parameter belongs to. Parameters are known by their address,
// as a reference to one, even a weak one, would be noticed (swap_tensors); what
// is found at the address later is only taken for it if it has as many
// elements, and while the model lives.

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
  // Parameters and ModuleNames' numbers of their modules; the first counts.
  using Owned = std::vector<std::pair<at::Tensor, std::uint32_t>>;

  // Of the process; never destroyed.
  static ParameterOwners& ofProcess();

  // Replaces what is known of a model, by a number of the caller's.
  void set(std::uint64_t model, const Owned& owned);
  void remove(std::uint64_t model);
  // 0: none. A thread waits only while something is being replaced.
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
