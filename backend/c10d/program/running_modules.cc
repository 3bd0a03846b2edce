#include "c10d/program/running_modules.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <vector>

#include "c10d/program/parameter_owners.h"
#include "recorder/context/context.h"
#include "recorder/context/module_log.h"

namespace traced {
namespace {

namespace autograd = torch::autograd;

constexpr int kNoBackward = -1;
// Sequence number of AccumulateGrad. It is created once per parameter at its
// first use, so its number reveals no module.
constexpr std::uint64_t kOfNoOrder = std::numeric_limits<std::uint64_t>::max();

std::atomic<std::uint64_t> next_entry{1};

struct Entry {
  std::uint64_t id;
  ModuleAndPhase place;
  int backward;  // the backward it was entered in, or kNoBackward
};

struct ThreadModules {
  std::vector<Entry> entries;
  PlacedContexts contexts;
};

ThreadModules& ofThread() {
  thread_local ThreadModules modules;
  return modules;
}

// Returns the thread's innermost entry of its current backward, or outside of
// any.
const Entry* innermost(int backward) {
  const std::vector<Entry>& entries = ofThread().entries;
  if (entries.empty() || entries.back().backward != backward) return nullptr;
  return &entries.back();
}

std::uint32_t moduleOfNode() {
  const auto node = autograd::get_current_node();
  if (!node) return 0;
  if (node->sequence_nr() != kOfNoOrder) {
    const ModuleLog* log = findModuleLog(node->thread_id());
    return log ? log->at(node->sequence_nr()).value_or(0) : 0;
  }
  const auto* accumulates =
      dynamic_cast<const autograd::AccumulateGrad*>(&*node);
  return accumulates ? ParameterOwners::ofProcess().of(accumulates->variable)
                     : 0;
}

// Records that the thread's next nodes belong to the module that it runs now.
void noteNodes(int backward) {
  const Entry* entry = innermost(backward);
  moduleLogOfThread(at::RecordFunction::currentThreadId())
      .note(at::sequence_number::peek(), entry ? entry->place.module : 0);
}

std::uint64_t enter(ModuleAndPhase place, int backward) {
  std::vector<Entry>& entries = ofThread().entries;
  if (backward == kNoBackward) {  // drops entries of backwards that have ended
    while (!entries.empty() && entries.back().backward != kNoBackward) {
      entries.pop_back();
    }
  }
  const std::uint64_t id = next_entry.fetch_add(1, std::memory_order_relaxed);
  entries.push_back({id, place, backward});
  noteNodes(backward);
  return id;
}

template <typename Is>
void leaveLast(Is is) noexcept {
  std::vector<Entry>& entries = ofThread().entries;
  const auto found = std::find_if(entries.rbegin(), entries.rend(), is);
  if (found == entries.rend()) return;
  entries.erase(std::prev(found.base()), entries.end());
  try {
    noteNodes(autograd::get_current_graph_task_id());
  } catch (const std::bad_alloc&) {
    // Later nodes are attributed to the module that was left.
  }
}

class ModuleOverlay final : public ContextOverlay {
 public:
  const Context* over(const Context* known) noexcept override {
    try {
      const ModuleAndPhase place = runningPlace();
      if (place == ModuleAndPhase{}) return known;
      return ofThread().contexts.at(known, place);
    } catch (const std::exception&) {
      return known;
    }
  }
};

}  // namespace

void stampModules(bool wanted) noexcept {
  static ModuleOverlay overlay;
  setContextOverlay(wanted ? &overlay : nullptr);
}

std::uint64_t enterForward(std::uint32_t module) {
  const int backward = autograd::get_current_graph_task_id();
  const v1::Phase phase =
      backward == kNoBackward ? v1::PHASE_FORWARD : v1::PHASE_RECOMPUTE;
  return enter({module, phase}, backward);
}

std::uint64_t enterOnBehalf(std::uint32_t module) {
  const int backward = autograd::get_current_graph_task_id();
  const Entry* within = innermost(backward);
  const v1::Phase phase = within                    ? within->place.phase
                          : backward == kNoBackward ? v1::PHASE_FORWARD
                                                    : v1::PHASE_BACKWARD;
  return enter({module, phase}, backward);
}

std::uint64_t enterOptimizer() {
  return enter({0, v1::PHASE_OPTIMIZER}, autograd::get_current_graph_task_id());
}

void leaveModule(std::uint64_t entered) noexcept {
  leaveLast([entered](const Entry& entry) { return entry.id == entered; });
}

void leaveForward(std::uint32_t module) noexcept {
  leaveLast(
      [module](const Entry& entry) { return entry.place.module == module; });
}

void leaveAllModules() noexcept {
  const std::vector<Entry>& entries = ofThread().entries;
  if (!entries.empty()) leaveModule(entries.front().id);
}

std::uint32_t runningModule() noexcept {
  const std::vector<Entry>& entries = ofThread().entries;
  return entries.empty() ? 0 : entries.back().place.module;
}

std::size_t moduleDepth() noexcept { return ofThread().entries.size(); }

ModuleAndPhase runningPlace() {
  const int backward = autograd::get_current_graph_task_id();
  if (const Entry* entry = innermost(backward)) return entry->place;
  if (backward == kNoBackward) return {};
  return {moduleOfNode(), v1::PHASE_BACKWARD};
}

}  // namespace traced
