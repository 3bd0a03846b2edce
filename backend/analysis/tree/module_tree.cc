#include "analysis/tree/module_tree.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "analysis/figures/bandwidth.h"
#include "analysis/job/held_time.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/names.h"
#include "trace_io/call_text.h"

namespace traced {
namespace {

void addBetween(TimeSum& sum, const Instant& begin, const Instant& end) {
  if (const auto ns = between(begin, end)) sum.add(*ns);
}

ModuleSums measured(const AssembledOperation& op) {
  ModuleSums sums;
  sums.calls = 1;
  addBetween(sums.host, op.issued, op.returned);
  addBetween(sums.wait, op.wait_began, op.wait_ended);
  // A failed operation has no meaningful completion time.
  if (!op.failed) addBetween(sums.completion, op.issued, op.ended);
  return sums;
}

std::optional<std::uint64_t> numberIn(const std::string& name) {
  std::uint64_t number = 0;
  if (!absl::SimpleAtoi(name, &number)) return std::nullopt;
  return number;
}

}  // namespace

void ModuleSums::add(const ModuleSums& other) {
  calls += other.calls;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  bytes += other.bytes;
  host.add(other.host);
  completion.add(other.completion);
  wait.add(other.wait);
  waits_unknown += other.waits_unknown;
}

ModuleTree::ModuleTree(Detail detail) : detail_(detail) {
  nodes_.emplace_back().name = "Global";
}

void ModuleTree::add(const StreamTable& table) {
  const std::vector<std::uint32_t> groups =
      groups_.add(table.header.attempt(), table.definitions.groups());
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, Plan> plans;
  const Batches batches(table);
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    if (call && call->simulated()) continue;
    const auto [found, is_new] = plans.try_emplace({op.call, op.context});
    Plan& made = found->second;
    if (is_new) made = plan(table, op, groups);
    ModuleSums sums = measured(op);
    sums.waits_unknown = hasUnseenWait(op, table, batches);
    sums.bytes_in = made.bytes_in;
    sums.bytes_out = made.bytes_out;
    sums.bytes = std::max(made.bytes_in, made.bytes_out);
    nodes_[made.node].calls[made.call].add(sums);
    placed_ += made.is_placed;
  }
}

ModuleTree::Plan ModuleTree::plan(const StreamTable& table,
                                  const AssembledOperation& op,
                                  absl::Span<const std::uint32_t> groups) {
  Plan plan;
  if (const v1::Context* context = table.contextOf(op)) {
    plan.call.phase = v1::Phase_IsValid(context->phase())
                          ? context->phase()
                          : v1::PHASE_UNSPECIFIED;
    plan.call.reason = context->parent();
    plan.is_placed = context->has_model();
    if (plan.is_placed) plan.node = nodeOf(*context);
  }
  const v1::Call* call = table.callOf(op);
  plan.call.op = call ? nameOf(call->op()) : kUnknownOperation;
  if (!call) return plan;
  plan.bytes_in = call->bytes_in();
  plan.bytes_out = call->bytes_out();
  if (detail_ == Detail::kByOperation) return plan;
  const std::uint32_t local = table.groupOf(*call);
  const std::uint32_t group =
      local == StreamDefinitions::kNone ? GroupCatalog::kNone : groups[local];
  const std::uint32_t group_size =
      group == GroupCatalog::kNone ? 0 : groups_.groups()[group].members.size();
  plan.call.group = groups_.label(group);
  plan.call.dtype = dtypeText(*call);
  plan.call.size = sizeBucket(messageBytes(*call, group_size));
  if (detail_ == Detail::kByShape) plan.call.shape = shapeText(*call);
  return plan;
}

std::size_t ModuleTree::nodeOf(const v1::Context& context) {
  std::size_t node = childOf(kRoot, context.model());
  if (!context.module().empty()) {
    const std::vector<std::string> path =
        absl::StrSplit(context.module(), absl::MaxSplits('.', kMaxDepth - 1));
    for (const std::string& name : path) {
      const std::size_t child = childOf(node, name);
      if (child == node) return node;  // the limit on modules is reached
      node = child;
    }
  }
  nodes_[node].module_type = context.module_type();
  return node;
}

std::size_t ModuleTree::childOf(std::size_t parent, const std::string& name) {
  const auto found = children_.find({parent, name});
  if (found != children_.end()) return found->second;
  if (nodes_.size() >= kMaxModules) {
    ++cut_;
    return parent;
  }
  const std::size_t child = nodes_.size();
  nodes_.emplace_back().name = name;
  nodes_[parent].children.push_back(child);
  children_.emplace(std::pair(parent, name), child);
  return child;
}

void ModuleTree::finish() { sumUp(kRoot); }

void ModuleTree::sumUp(std::size_t index) {
  ModuleNode& node = nodes_[index];
  for (const auto& [call, sums] : node.calls) {
    node.phases[call.phase].add(sums);
  }
  for (const std::size_t child : node.children) {
    sumUp(child);
    for (std::size_t phase = 0; phase < node.phases.size(); ++phase) {
      node.phases[phase].add(nodes_[child].phases[phase]);
    }
  }
  const auto number = [&](std::size_t child) {
    return numberIn(nodes_[child].name);
  };
  if (std::all_of(node.children.begin(), node.children.end(),
                  [&](std::size_t child) { return number(child); })) {
    std::sort(node.children.begin(), node.children.end(),
              [&](std::size_t a, std::size_t b) {
                return std::pair(number(a), a) < std::pair(number(b), b);
              });
  }
}

}  // namespace traced
