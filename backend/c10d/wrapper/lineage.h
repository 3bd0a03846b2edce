// Remembers the children of traced backends, created by split or shrink, with
// their members. torch puts each child into a group of its own, which is then
// traced like its parent.

#pragma once

#include <cstdint>
#include <optional>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

namespace traced {

// Stores a child until takeChild() or its end. `members` are global ranks in
// group rank order. Ignores a null child, which means that this rank is not a
// member. If memory is short, the child is not stored, and its group is not
// recorded.
void rememberChild(const c10::intrusive_ptr<c10d::Backend>& child,
                   std::vector<std::uint32_t> members) noexcept;

// Returns and removes the members of a child, or nullopt if it is unknown.
std::optional<std::vector<std::uint32_t>> takeChild(
    const c10::intrusive_ptr<c10d::Backend>& backend);

}  // namespace traced
