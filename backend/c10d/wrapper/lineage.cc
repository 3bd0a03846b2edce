#include "c10d/wrapper/lineage.h"

#include <algorithm>
#include <mutex>

namespace traced {
namespace {

struct Child {
  c10::weak_intrusive_ptr<c10d::Backend> backend;
  std::vector<std::uint32_t> members;
};

std::mutex mutex;

std::vector<Child>& children() {
  static auto* const list = new std::vector<Child>;  // outlives every group
  return *list;
}

}  // namespace

void rememberChild(const c10::intrusive_ptr<c10d::Backend>& child,
                   std::vector<std::uint32_t> members) noexcept {
  if (!child) return;
  try {
    std::lock_guard lock(mutex);
    std::erase_if(children(),
                  [](const Child& c) { return c.backend.expired(); });
    children().push_back(
        {c10::weak_intrusive_ptr<c10d::Backend>(child), std::move(members)});
  } catch (const std::bad_alloc&) {  // the child's group is not recorded
  }
}

std::optional<std::vector<std::uint32_t>> takeChild(
    const c10::intrusive_ptr<c10d::Backend>& backend) {
  std::lock_guard lock(mutex);
  const auto found =
      std::find_if(children().begin(), children().end(), [&](const Child& c) {
        return !c.backend.expired() &&
               c.backend._unsafe_get_target() == backend.get();
      });
  if (found == children().end()) return std::nullopt;
  std::vector<std::uint32_t> members = std::move(found->members);
  children().erase(found);
  return members;
}

}  // namespace traced
