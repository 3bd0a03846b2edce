#include "c10d/groups/nodes.h"

#include <optional>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <vector>

#include "c10d/groups/attach.h"
#include "c10d/wrapper/traced_backend.h"

namespace traced {
namespace {

// Returns the tracer's part of the store. No key of the job starts with its
// prefix.
c10::intrusive_ptr<c10d::Store> ours(const NodeStore& nodes) {
  return c10::make_intrusive<c10d::PrefixStore>(
      "traced/nodes/" + std::to_string(nodes.job), nodes.store);
}

// Keys are never removed, so multiGet() does not block after check() succeeded.
NodeMap::Lookup lookupIn(const NodeStore& nodes) {
  return [&nodes](const NodeMap::Ranks& ranks)
             -> std::optional<std::vector<std::string>> {
    try {
      const auto store = ours(nodes);
      std::vector<std::string> keys;
      for (const std::uint32_t rank : ranks) {
        keys.push_back(std::to_string(rank));
      }
      if (!store->check(keys)) return std::nullopt;
      std::vector<std::string> found;
      for (const std::vector<std::uint8_t>& value : store->multiGet(keys)) {
        found.emplace_back(value.begin(), value.end());
      }
      return found;
    } catch (...) {
      return std::nullopt;
    }
  };
}

}  // namespace

void publishNode(const NodeStore& nodes, std::uint32_t rank,
                 const std::string& node) noexcept {
  try {
    ours(nodes)->set(std::to_string(rank),
                     std::vector<std::uint8_t>(node.begin(), node.end()));
  } catch (...) {  // unpublished: its groups are all recorded
  }
}

void decideScope(c10d::ProcessGroup& group, const NodeStore& nodes) noexcept {
  try {
    forEachTraced(group, [&](TracedBackend& backend) {
      backend.decideScope(nodes.job, lookupIn(nodes));
    });
  } catch (...) {  // no memory: everything is recorded
  }
}

}  // namespace traced
