#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/stuck_groups/wait_graph.h"

namespace traced {
namespace {

// Indices of stuck operations by rank, ascending.
using ByRank = absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>>;

// Returns the collectives from which exactly one rank is missing, by that rank.
ByRank missingAlone(const std::vector<StuckOperation>& all_stuck) {
  ByRank alone;
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    const StuckOperation& stuck = all_stuck[i];
    if (stuck.verdict.pair || stuck.missing.size() != 1) continue;
    alone[stuck.missing.front()].push_back(i);
  }
  return alone;
}

std::optional<std::int64_t> issuedOn(const StuckOperation& stuck,
                                     std::uint32_t rank) {
  const auto found = stuck.issued_ns.find(rank);
  return found == stuck.issued_ns.end() ? std::nullopt
                                        : std::optional(found->second);
}

// Returns whether a rank inside both issued `stuck` after `other`. Ranks make
// the same calls in the same order, so `other` prevents nobody from calling
// `stuck`.
bool isPassed(const StuckOperation& other, const StuckOperation& stuck) {
  if (other.verdict.pair || stuck.verdict.pair) return false;
  return std::any_of(stuck.inside.begin(), stuck.inside.end(),
                     [&](std::uint32_t rank) {
                       const auto before = issuedOn(other, rank);
                       const auto after = issuedOn(stuck, rank);
                       return before && after && *before < *after;
                     });
}

// Returns the operations that each rank is inside of or queued behind.
ByRank insideOf(const std::vector<StuckOperation>& all_stuck) {
  ByRank inside;
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    for (const std::uint32_t rank : all_stuck[i].inside) {
      inside[rank].push_back(i);
    }
    for (const std::uint32_t rank : all_stuck[i].waiting_behind) {
      inside[rank].push_back(i);
    }
  }
  return inside;
}

// Adds the operations that may hold up operation `i`, which all ranks joined:
// those that a rank inside issued earlier.
void addEarlier(const std::vector<StuckOperation>& all_stuck, std::uint32_t i,
                const ByRank& inside, std::vector<std::uint32_t>& edges) {
  if (!all_stuck[i].may_be_held_up) return;
  for (const std::uint32_t rank : all_stuck[i].inside) {
    const auto own = issuedOn(all_stuck[i], rank);
    for (const std::uint32_t j : inside.at(rank)) {
      const auto other = issuedOn(all_stuck[j], rank);
      // If a rank ended an operation, it had begun on all ranks, so nothing
      // held it up. Report only the first such operation.
      const bool may_hold = !all_stuck[i].some_ended || all_stuck[j].some_ended;
      if (may_hold && own && other && *other < *own) edges.push_back(j);
    }
  }
}

// Adds the operations in which ranks that are only perhaps inside may wait
// instead. Each is stuck for a known reason, or was issued earlier.
void addInstead(const std::vector<StuckOperation>& all_stuck, std::uint32_t i,
                const ByRank& inside, std::vector<std::uint32_t>& edges) {
  if (!all_stuck[i].isPerhaps()) return;
  for (const std::uint32_t rank : all_stuck[i].inside) {
    const auto own = issuedOn(all_stuck[i], rank);
    for (const std::uint32_t j : inside.at(rank)) {
      const auto other = issuedOn(all_stuck[j], rank);
      const bool is_first = own && other && *other < *own;
      if (j != i && (!all_stuck[j].isPerhaps() || is_first)) edges.push_back(j);
    }
  }
}

// Returns the operations that `i` waits for because a missing rank is held up
// in them.
std::vector<std::uint32_t> needsOf(const std::vector<StuckOperation>& all_stuck,
                                   std::uint32_t i, const ByRank& inside,
                                   const ByRank& alone) {
  std::vector<std::uint32_t> needs;
  for (const std::uint32_t rank : all_stuck[i].missing) {
    const std::size_t before = needs.size();
    const auto found = inside.find(rank);
    if (found != inside.end()) {
      for (const std::uint32_t other : found->second) {
        const bool waits =
            other != i && !isPassed(all_stuck[other], all_stuck[i]);
        if (waits) needs.push_back(other);
      }
    }
    // A message's other side may be in no operation, and be the only rank
    // missing from a collective. The message then waits for the same absence.
    const StuckOperation& message = all_stuck[i];
    if (needs.size() > before || !message.verdict.pair) continue;
    const auto same = alone.find(rank);
    if (message.missing.size() != 1 || same == alone.end()) continue;
    needs.insert(needs.end(), same->second.begin(), same->second.end());
  }
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return needs;
}

Edges needsOf(const std::vector<StuckOperation>& all_stuck) {
  const ByRank inside = insideOf(all_stuck);
  const ByRank alone = missingAlone(all_stuck);
  Edges needs(all_stuck.size());
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    needs[i] = needsOf(all_stuck, i, inside, alone);
  }
  return needs;
}

// Returns whether both sides are inside the message.
bool isUndecidedMessage(const StuckOperation& stuck) {
  return stuck.verdict.pair && stuck.isHeldUpAtMost() &&
         stuck.without_dump.empty();
}

// Keeps only edges between operations that are stuck by themselves.
Edges sureOf(const std::vector<StuckOperation>& all_stuck, Edges edges) {
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    if (isOneSided(all_stuck[i])) edges[i].clear();
    std::erase_if(edges[i], [&](std::uint32_t other) {
      return all_stuck[other].isHeldUpAtMost() || all_stuck[other].isPerhaps();
    });
  }
  return edges;
}

// Removes edges to messages that nothing holds up: one of their two sides is
// stuck, and that is the missing rank.
void leaveOutDeadEnds(const std::vector<StuckOperation>& all_stuck,
                      Edges& edges) {
  std::vector<bool> is_dead_end(all_stuck.size());
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    is_dead_end[i] = edges[i].empty() && isUndecidedMessage(all_stuck[i]);
  }
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    if (all_stuck[i].missing.empty()) continue;
    std::erase_if(edges[i],
                  [&](std::uint32_t other) { return is_dead_end[other]; });
  }
}

// Adds edges for ranks that have not ended what others have. These ranks are no
// witnesses: what only they wait for may in fact wait for them.
void addBehind(const std::vector<StuckOperation>& all_stuck,
               const ByRank& inside, std::uint32_t i,
               std::vector<std::uint32_t>& edges) {
  if (all_stuck[i].missing.empty() || all_stuck[i].inside.empty()) return;
  std::vector<std::uint32_t> behind;
  for (const std::uint32_t rank : all_stuck[i].inside) {
    const std::size_t before = behind.size();
    for (const std::uint32_t j : inside.at(rank)) {
      const std::vector<std::uint32_t>& in = all_stuck[j].inside;
      const bool is_behind = all_stuck[j].may_be_held_up &&
                             all_stuck[j].some_ended &&
                             std::binary_search(in.begin(), in.end(), rank);
      if (is_behind) behind.push_back(j);
    }
    if (behind.size() == before) return;
  }
  edges.insert(edges.end(), behind.begin(), behind.end());
}

// Adds edges to operations that may hold others up.
Edges withEarlier(const std::vector<StuckOperation>& all_stuck, Edges edges) {
  const ByRank inside = insideOf(all_stuck);
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    addEarlier(all_stuck, i, inside, edges[i]);
    addInstead(all_stuck, i, inside, edges[i]);
    addBehind(all_stuck, inside, i, edges[i]);
    std::sort(edges[i].begin(), edges[i].end());
    edges[i].erase(std::unique(edges[i].begin(), edges[i].end()),
                   edges[i].end());
  }
  leaveOutDeadEnds(all_stuck, edges);
  return edges;
}

}  // namespace

bool isOneSided(const StuckOperation& stuck) {
  return stuck.verdict.pair && stuck.may_be_held_up && !stuck.missing.empty();
}

WaitEdges waitEdgesOf(const std::vector<StuckOperation>& all_stuck) {
  Edges needs = needsOf(all_stuck);
  WaitEdges edges;
  edges.all = withEarlier(all_stuck, needs);
  edges.sure = sureOf(all_stuck, std::move(needs));
  return edges;
}

}  // namespace traced
