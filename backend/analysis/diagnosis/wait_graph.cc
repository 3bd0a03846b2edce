#include "analysis/diagnosis/wait_graph.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/words.h"

namespace traced {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

// A message whose other side is in no operation, and is missing alone from a
// collective: that it did not come there is what the message waits for, too.
bool waitsForSame(const Trouble& message, const Trouble& collective) {
  return message.verdict.pair && !collective.verdict.pair &&
         message.missing.size() == 1 && message.missing == collective.missing;
}

Edges edgesOf(const std::vector<Trouble>& troubles) {
  absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> inside;
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    for (const std::uint32_t rank : troubles[i].inside) {
      inside[rank].push_back(i);
    }
  }
  Edges edges(troubles.size());
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    for (const std::uint32_t rank : troubles[i].missing) {
      const auto found = inside.find(rank);
      if (found == inside.end()) {
        for (std::uint32_t j = 0; j < troubles.size(); ++j) {
          if (waitsForSame(troubles[i], troubles[j])) edges[i].push_back(j);
        }
        continue;
      }
      for (const std::uint32_t other : found->second) {
        if (other != i) edges[i].push_back(other);
      }
    }
    std::sort(edges[i].begin(), edges[i].end());
    edges[i].erase(std::unique(edges[i].begin(), edges[i].end()),
                   edges[i].end());
  }
  return edges;
}

// Strongly connected components by Tarjan's algorithm, without recursion: a
// chain of waiting ranks may be as long as the job is wide.
class Components {
 public:
  explicit Components(const Edges& edges)
      : edges_(edges), state_(edges.size()), component_(edges.size(), 0) {
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      if (state_[i].index == 0) visit(i);
    }
  }

  // By node.
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

std::string whatOf(const JobState& job, const JobVerdict& verdict) {
  return absl::StrCat(verdict.op, " ",
                      placeText(job, verdict.group, verdict.seq));
}

std::vector<std::uint32_t> sortedSet(std::vector<std::uint32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

// Of the operations of a cycle, most ranks are inside one; had the others been
// there too, nothing would stand still.
// A message that only one side knows of is between two that cannot outvote each
// other: both are in the set, unless all messages that have one culprit have
// the same.
std::vector<std::uint32_t> smallestRootSet(
    const std::vector<const Trouble*>& cycle) {
  std::vector<std::uint32_t> sides, single;
  for (const Trouble* trouble : cycle) {
    const JobVerdict& verdict = trouble->verdict;
    if (!verdict.pair) continue;
    addRanks(sides, verdict.culprits);
    if (verdict.culprits.size() == 1) addRanks(single, verdict.culprits);
  }
  single = sortedSet(std::move(single));
  if (single.size() == 1) return single;
  if (!sides.empty()) return sortedSet(std::move(sides));
  const auto most = std::max_element(
      cycle.begin(), cycle.end(), [](const Trouble* a, const Trouble* b) {
        return a->inside.size() < b->inside.size();
      });
  const auto equal =
      std::count_if(cycle.begin(), cycle.end(), [&](const Trouble* trouble) {
        return trouble->inside.size() == (*most)->inside.size();
      });
  std::vector<std::uint32_t> ranks;
  for (const Trouble* trouble : cycle) {
    if (equal == 1 && trouble == *most) continue;
    addRanks(ranks, trouble->inside);
  }
  return sortedSet(std::move(ranks));
}

JobVerdict deadlockOf(const JobState& job,
                      const std::vector<const Trouble*>& cycle) {
  const auto first = std::max_element(
      cycle.begin(), cycle.end(), [](const Trouble* a, const Trouble* b) {
        return a->inside.size() < b->inside.size();
      });
  JobVerdict verdict = (*first)->verdict;
  verdict.kind = VerdictKind::kDeadlock;
  verdict.evidence.clear();
  verdict.advice.clear();
  verdict.ranks.clear();
  for (const Trouble* trouble : cycle) {
    addRanks(verdict.ranks, trouble->inside);
    verdict.confidence =
        std::max(verdict.confidence, trouble->verdict.confidence);
    verdict.evidence.push_back(
        absl::StrCat(ranksVerb(trouble->inside, "is", "are"), " inside ",
                     whatOf(job, trouble->verdict), " and ",
                     trouble->inside.size() == 1 ? "waits" : "wait", " for ",
                     ranksText(trouble->missing), "."));
  }
  verdict.ranks = sortedSet(std::move(verdict.ranks));
  verdict.culprits = smallestRootSet(cycle);
  verdict.summary =
      absl::StrCat("Deadlock: ", ranksText(verdict.ranks),
                   " wait for each other in ", cycle.size(), " operations.");
  if (verdict.culprits == verdict.ranks) {
    verdict.evidence.push_back(
        "As many are inside one as inside the other: all are named.");
  }
  verdict.advice.push_back(absl::StrCat(
      "in which order ", ranksVerb(verdict.culprits, "makes", "make"),
      " these calls"));
  return verdict;
}

void tellWaiting(const JobState& job, const std::vector<Trouble>& troubles,
                 const Edges& edges, const Components& components,
                 std::uint32_t component, JobVerdict& verdict) {
  std::size_t told = 0;
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    if (components.of()[i] == component) continue;
    const bool waits = std::any_of(
        edges[i].begin(), edges[i].end(),
        [&](std::uint32_t to) { return components.of()[to] == component; });
    if (!waits) continue;
    if (++told > 4) break;
    verdict.evidence.push_back(
        absl::StrCat(whatOf(job, troubles[i].verdict), " only waits for that: ",
                     ranksText(troubles[i].missing), " did not come to it."));
  }
}

}  // namespace

std::vector<JobVerdict> rootsOf(const JobState& job,
                                std::vector<Trouble> troubles) {
  const Edges edges = edgesOf(troubles);
  const Components components(edges);
  std::vector<std::vector<std::uint32_t>> nodes(components.count());
  std::vector<bool> is_root(components.count(), true);
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    const std::uint32_t own = components.of()[i];
    nodes[own].push_back(i);
    for (const std::uint32_t to : edges[i]) {
      if (components.of()[to] != own) is_root[own] = false;
    }
  }
  std::vector<JobVerdict> verdicts;
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    const bool explained =
        std::any_of(nodes[c].begin(), nodes[c].end(),
                    [&](std::uint32_t i) { return troubles[i].explained; });
    if (!is_root[c] || explained) continue;
    std::vector<const Trouble*> members;
    for (const std::uint32_t i : nodes[c]) members.push_back(&troubles[i]);
    JobVerdict verdict = members.size() == 1 ? members.front()->verdict
                                             : deadlockOf(job, members);
    tellWaiting(job, troubles, edges, components, c, verdict);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace traced
