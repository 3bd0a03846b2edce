// ModuleTree sums the communication of a program's modules, in the tree given
// by their names: Transformer.layers.3.attention is below Transformer.layers.3.
// Simulated calls are left out.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/figures/samples.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Sums over calls. A duration is left out if one of its ends was not recorded.
struct ModuleSums {
  std::uint64_t calls = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t bytes = 0;  // sum over calls of the larger of the two
  TimeSum host;             // from issue to return
  TimeSum completion;       // from issue to end, without failed calls
  TimeSum wait;             // from the begin to the end of the first wait
  // Number of calls that the program may have waited for without a recorded
  // wait.
  std::uint64_t waits_unknown = 0;

  void add(const ModuleSums& other);
};

// Identifies operations of a module that the tree counts together.
struct ModuleCall {
  v1::Phase phase = v1::PHASE_UNSPECIFIED;
  std::string op;
  // The call of the program that issued it, such as a redistribution, or "".
  std::string reason;
  // Set from Detail::kByCall up.
  std::string group, dtype, size;
  // Set from Detail::kByShape up.
  std::string shape;

  auto operator<=>(const ModuleCall&) const = default;
};

struct ModuleNode {
  // The name within the parent. At the top: the name of a model. "Global" for
  // the root.
  std::string name;
  // The module's class; "" if it issued nothing itself.
  std::string module_type;
  // Operations that the module issued itself.
  std::map<ModuleCall, ModuleSums> calls;
  // By phase, including all modules below.
  std::array<ModuleSums, v1::Phase_ARRAYSIZE> phases;
  // Indices of nodes: numbered children by number, others in order of first
  // use.
  std::vector<std::size_t> children;
};

class ModuleTree {
 public:
  // How finely the calls of a module are distinguished.
  enum class Detail { kByOperation, kByCall, kByShape };
  static constexpr std::size_t kRoot = 0;
  // At kMaxDepth, the rest of a module's path becomes one name. Beyond
  // kMaxModules, calls count for the nearest module that has a node.
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxModules = 100'000;

  explicit ModuleTree(Detail detail);

  void add(const StreamTable& table);
  // Call once, after all streams were added.
  void finish();

  const std::vector<ModuleNode>& nodes() const { return nodes_; }
  const ModuleNode& root() const { return nodes_[kRoot]; }
  // Number of operations that belong to a module.
  std::uint64_t placed() const { return placed_; }
  // Number of modules that got no node because of the limits.
  std::uint64_t cut() const { return cut_; }

 private:
  struct Plan {
    std::size_t node = kRoot;
    ModuleCall call;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    bool is_placed = false;
  };

  Plan plan(const StreamTable& table, const AssembledOperation& op,
            absl::Span<const std::uint32_t> groups);
  std::size_t nodeOf(const v1::Context& context);
  std::size_t childOf(std::size_t parent, const std::string& name);
  void sumUp(std::size_t node);

  const Detail detail_;
  std::vector<ModuleNode> nodes_;
  absl::flat_hash_map<std::pair<std::size_t, std::string>, std::size_t>
      children_;
  GroupCatalog groups_;
  std::uint64_t placed_ = 0;
  std::uint64_t cut_ = 0;
};

}  // namespace traced
