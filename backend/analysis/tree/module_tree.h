// ModuleTree adds up what the modules of a program communicated, in the tree
// that their names make: Transformer.layers.3.attention is below
// Transformer.layers.3. Simulated calls are left out of it.

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

// Sums over calls. An instant that was not observed adds nothing.
struct ModuleSums {
  std::uint64_t calls = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t bytes = 0;  // the larger of the two, call by call
  TimeSum host;             // from issue to return
  TimeSum completion;       // from issue to end, of calls that did not fail
  TimeSum wait;             // from the begin to the end of the first wait
  // Calls of which the program may have waited in a way that shows no wait.
  std::uint64_t waits_unknown = 0;

  void add(const ModuleSums& other);
};

// Operations of a module that are alike, as far as the tree tells them apart.
struct ModuleCall {
  v1::Phase phase = v1::PHASE_UNSPECIFIED;
  std::string op;
  // From kByCall up.
  std::string group, dtype, size;
  // From kByShape up.
  std::string shape;

  auto operator<=>(const ModuleCall&) const = default;
};

struct ModuleNode {
  // What the parent calls it; a model's name; "Global" above all models.
  std::string name;
  // Its class; "" where it issued nothing itself.
  std::string module_type;
  // What it issued itself.
  std::map<ModuleCall, ModuleSums> calls;
  // By phase, with all that is below.
  std::array<ModuleSums, v1::Phase_ARRAYSIZE> phases;
  // Indices of nodes, in the order in which they were met, or by their numbers.
  std::vector<std::size_t> children;
};

class ModuleTree {
 public:
  // How far calls of a module are told apart.
  enum class Detail { kByOperation, kByCall, kByShape };
  static constexpr std::size_t kRoot = 0;
  // What is above is added to what is around it.
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxModules = 100'000;

  explicit ModuleTree(Detail detail);

  void add(const StreamTable& table);
  // To be called when all streams were added.
  void finish();

  const std::vector<ModuleNode>& nodes() const { return nodes_; }
  const ModuleNode& root() const { return nodes_[kRoot]; }
  // Of all operations, those that are of a module.
  std::uint64_t placed() const { return placed_; }
  // Modules that got no node of their own.
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
