// Which module a parameter belongs to. Neither it nor its memory is kept alive.

#pragma once

#include <ATen/core/TensorBase.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace traced {

// Thread safety: any thread.
class ParameterOwners {
 public:
  // Of the process; never destroyed.
  static ParameterOwners& ofProcess();

  // Parameters and ModuleNames' numbers of their modules, on top of what is
  // known.
  void add(const std::vector<std::pair<at::Tensor, std::uint32_t>>& owned);
  // 0: none. A thread waits only while parameters are added.
  std::uint32_t of(const at::TensorBase& parameter) const noexcept;

 private:
  // Weak, so that nothing else is found where a parameter was.
  struct Owned {
    c10::weak_intrusive_ptr<at::TensorImpl> parameter;
    std::uint32_t module;
  };
  using Owners = std::unordered_map<const at::TensorImpl*, Owned>;

  mutable std::mutex mutex_;
  std::shared_ptr<const Owners> owners_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace traced
