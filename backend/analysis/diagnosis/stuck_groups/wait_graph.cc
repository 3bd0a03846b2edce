#include "analysis/diagnosis/stuck_groups/wait_graph.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/program/blame.h"

namespace traced {
namespace {

// Finds strongly connected components by Tarjan's algorithm. Iterative, because
// a chain of waiting ranks may be as long as the job is wide.
class Components {
 public:
  explicit Components(const Edges& edges)
      : edges_(edges), state_(edges.size()), component_(edges.size(), 0) {
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      if (state_[i].index == 0) visit(i);
    }
  }

  // Returns the component of each node.
  const std::vector<std::uint32_t>& of() const { return component_; }
  std::uint32_t count() const { return count_; }

 private:
  struct State {
    std::uint32_t index = 0;
    std::uint32_t low = 0;
    std::size_t next_edge = 0;
    bool on_stack = false;
  };

  void visit(std::uint32_t root) {
    std::vector<std::uint32_t> path;
    enter(root, path);
    while (!path.empty()) {
      const std::uint32_t node = path.back();
      State& state = state_[node];
      if (state.next_edge < edges_[node].size()) {
        const std::uint32_t to = edges_[node][state.next_edge++];
        if (state_[to].index == 0) {
          enter(to, path);
        } else if (state_[to].on_stack) {
          state.low = std::min(state.low, state_[to].index);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        State& parent = state_[path.back()];
        parent.low = std::min(parent.low, state.low);
      }
      if (state.low == state.index) close(node);
    }
  }

  void enter(std::uint32_t node, std::vector<std::uint32_t>& path) {
    state_[node].index = state_[node].low = ++visited_;
    state_[node].on_stack = true;
    stack_.push_back(node);
    path.push_back(node);
  }

  void close(std::uint32_t node) {
    for (std::uint32_t member = node;;) {
      member = stack_.back();
      stack_.pop_back();
      state_[member].on_stack = false;
      component_[member] = count_;
      if (member == node) break;
    }
    ++count_;
  }

  const Edges& edges_;
  std::vector<State> state_;
  std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t visited_ = 0;
  std::uint32_t count_ = 0;
};

// Appends without sorting. Callers sort once at the end.
void append(std::vector<std::uint32_t>& to,
            const std::vector<std::uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<std::uint32_t> sortedSet(std::vector<std::uint32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

// Returns the smallest set of ranks that may have caused a cycle. Most ranks
// are inside one operation, and if the rest were there too, nothing would be
// stuck. For a one-sided message, neither side outvotes the other, so both are
// in the set. Exception: if all messages with one culprit have the same one.
std::vector<std::uint32_t> smallestRootSet(
    const std::vector<const StuckOperation*>& cycle) {
  std::vector<std::uint32_t> sides, single;
  for (const StuckOperation* stuck : cycle) {
    const JobVerdict& verdict = stuck->verdict;
    if (!verdict.pair) continue;
    append(sides, verdict.culprits);
    if (verdict.culprits.size() == 1) append(single, verdict.culprits);
  }
  single = sortedSet(std::move(single));
  if (single.size() == 1) return single;
  if (!sides.empty()) return sortedSet(std::move(sides));
  const auto most =
      std::max_element(cycle.begin(), cycle.end(),
                       [](const StuckOperation* a, const StuckOperation* b) {
                         return a->inside.size() < b->inside.size();
                       });
  const auto equal = std::count_if(
      cycle.begin(), cycle.end(), [&](const StuckOperation* stuck) {
        return stuck->inside.size() == (*most)->inside.size();
      });
  std::vector<std::uint32_t> ranks;
  for (const StuckOperation* stuck : cycle) {
    if (equal == 1 && stuck == *most) continue;
    append(ranks, stuck->inside);
  }
  return sortedSet(std::move(ranks));
}

// Returns whether each operation needs a rank that is blocked in another one.
// None of them can then ever end.
bool cannotEnd(const std::vector<const StuckOperation*>& cycle) {
  std::vector<std::uint32_t> blocked;
  for (const StuckOperation* stuck : cycle) addRanks(blocked, stuck->blocked);
  return std::all_of(
      cycle.begin(), cycle.end(), [&](const StuckOperation* stuck) {
        return stuck->needs_all &&
               std::any_of(stuck->missing.begin(), stuck->missing.end(),
                           [&](std::uint32_t rank) {
                             return std::binary_search(blocked.begin(),
                                                       blocked.end(), rank);
                           });
      });
}

JobVerdict deadlockOf(const JobState& job,
                      const std::vector<const StuckOperation*>& cycle,
                      ProgramOrder& order) {
  const auto first =
      std::max_element(cycle.begin(), cycle.end(),
                       [](const StuckOperation* a, const StuckOperation* b) {
                         return a->inside.size() < b->inside.size();
                       });
  JobVerdict verdict = (*first)->verdict;
  verdict.kind = VerdictKind::kDeadlock;
  verdict.reasons.clear();
  verdict.advice.clear();
  verdict.ranks.clear();
  for (const StuckOperation* stuck : cycle) {
    append(verdict.ranks, stuck->inside);
    verdict.finding = std::max(verdict.finding, stuck->verdict.finding);
    verdict.reasons.push_back(
        InsideAndWaits{stuck->inside, !stuck->perhaps.empty(),
                       stuck->verdict.subject(), stuck->missing});
  }
  verdict.ranks = sortedSet(std::move(verdict.ranks));
  verdict.culprits = smallestRootSet(cycle);
  if (!cannotEnd(cycle)) {
    verdict.finding = std::max(verdict.finding, Confidence::kLikely);
  }
  verdict.culprit = verdict.culprits == verdict.ranks ? Confidence::kUndecided
                                                      : Confidence::kLikely;
  verdict.summary.clear();
  blameByOrder(job, order, cycle, verdict);
  verdict.reasons.insert(verdict.reasons.begin(), verdict.summary.begin(),
                         verdict.summary.end());
  verdict.summary = {Deadlock{verdict.ranks, cycle.size()}};
  if (verdict.culprit == Confidence::kUndecided) {
    verdict.reasons.push_back(PlainFact::kOrderIsUnknown);
  }
  verdict.advice.push_back(AskCallOrder{verdict.culprits});
  return verdict;
}

void reportWaiting(const std::vector<StuckOperation>& all_stuck,
                   const Edges& edges, const Components& components,
                   std::uint32_t component, JobVerdict& verdict) {
  std::size_t waiting = 0;
  bool certain = true;
  std::vector<std::uint32_t> ranks;
  const StuckOperation* example = nullptr;
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    if (components.of()[i] == component) continue;
    const bool waits = std::any_of(
        edges[i].begin(), edges[i].end(),
        [&](std::uint32_t to) { return components.of()[to] == component; });
    if (!waits) continue;
    if (++waiting == 1) example = &all_stuck[i];
    certain =
        certain && !all_stuck[i].isHeldUpAtMost() && !all_stuck[i].isPerhaps();
    append(ranks, all_stuck[i].inside);
  }
  if (!example) return;
  verdict.consequence = OnlyWaits{waiting, example->verdict.subject(),
                                  sortedSet(std::move(ranks)), certain};
}

RootCause::Proof proofOf(const JobState& job, const StuckOperation& stuck) {
  const bool of_dumps = !job.capabilities.has(SourceCapability::kAges);
  if (of_dumps && stuck.verdict.kind == VerdictKind::kUndecided) {
    return RootCause::Proof::kMayBeHeldUp;
  }
  if (!stuck.isHeldUpAtMost()) {
    return isOneSided(stuck) ? RootCause::Proof::kOneSided
                             : RootCause::Proof::kByItself;
  }
  return stuck.without_dump.empty() ? RootCause::Proof::kMayBeHeldUp
                                    : RootCause::Proof::kWithoutDump;
}

// Returns the cause of operations that wait for each other. A deadlock if the
// certain edges form a cycle. Otherwise the first operation that is stuck by
// itself and waits for no other such operation.
RootCause causeOf(const JobState& job,
                  const std::vector<StuckOperation>& all_stuck,
                  const std::vector<std::uint32_t>& nodes, const Edges& sure,
                  const Components& cycles, ProgramOrder& order) {
  absl::btree_map<std::uint32_t, std::vector<const StuckOperation*>> in_cycle;
  for (const std::uint32_t i : nodes) {
    in_cycle[cycles.of()[i]].push_back(&all_stuck[i]);
  }
  for (const auto& [cycle, members] : in_cycle) {
    if (members.size() > 1) {
      return {deadlockOf(job, members, order), RootCause::Proof::kByItself};
    }
  }
  const auto first = std::min_element(
      nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto placeOf = [&](std::uint32_t i) {
          // A rank that continued is not the one that stopped, so the last of
          // several messages counts.
          const std::int64_t since = all_stuck[i].verdict.since_ns.value_or(0);
          return std::tuple(proofOf(job, all_stuck[i]),
                            all_stuck[i].isPerhaps(), !sure[i].empty(),
                            isOneSided(all_stuck[i]) ? -since : since);
        };
        return placeOf(a) < placeOf(b);
      });
  RootCause cause{all_stuck[*first].verdict, proofOf(job, all_stuck[*first])};
  blameByOrder(job, order, {&all_stuck[*first]}, cause.verdict);
  return cause;
}

}  // namespace

std::vector<JobVerdict> rootsOf(const JobState& job,
                                std::vector<StuckOperation> all_stuck,
                                ProgramOrder& order) {
  const WaitEdges waits = waitEdgesOf(all_stuck);
  const Edges& edges = waits.all;
  const Components components(edges);
  std::vector<std::vector<std::uint32_t>> nodes(components.count());
  std::vector<bool> is_root(components.count(), true);
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    const std::uint32_t own = components.of()[i];
    nodes[own].push_back(i);
    for (const std::uint32_t to : edges[i]) {
      if (components.of()[to] != own) is_root[own] = false;
    }
  }
  const Components cycles(waits.sure);
  std::vector<RootCause> roots;
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    const bool explained =
        std::any_of(nodes[c].begin(), nodes[c].end(),
                    [&](std::uint32_t i) { return all_stuck[i].explained; });
    if (!is_root[c] || explained) continue;
    RootCause root =
        causeOf(job, all_stuck, nodes[c], waits.sure, cycles, order);
    reportWaiting(all_stuck, edges, components, c, root.verdict);
    roots.push_back(std::move(root));
  }
  return mergeCauses(std::move(roots));
}

}  // namespace traced
