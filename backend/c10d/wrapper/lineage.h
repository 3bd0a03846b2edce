// The backends that traced backends gave birth to, by split or shrink, and who
// their members are. torch puts such a backend into a group of its own, which
// is then traced as its parent is.

#pragma once

#include <cstdint>
#include <optional>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

namespace traced {

// `members` are global ranks in group rank order. A null child (this rank is
// no member) is ignored. Never fails.
void rememberChild(const c10::intrusive_ptr<c10d::Backend>& child,
                   std::vector<std::uint32_t> members) noexcept;

// The members of a child, once; nullopt if it was not born here.
std::optional<std::vector<std::uint32_t>> takeChild(
    const c10::intrusive_ptr<c10d::Backend>& backend);

}  // namespace traced
