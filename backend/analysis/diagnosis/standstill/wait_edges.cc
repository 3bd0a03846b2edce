#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/standstill/wait_graph.h"

namespace traced {
namespace {

// Troubles by a rank, each in the order of all.
using ByRank = absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>>;

// Collectives from which one rank is missing alone.
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

// Whether somebody who is inside `other`, too, issued `trouble` after it: ranks
// make the same calls in the same order, so `other` keeps nobody from making
// that call.
bool isPassed(const StuckOperation& other, const StuckOperation& stuck) {
  if (other.verdict.pair || stuck.verdict.pair) return false;
  return std::any_of(stuck.inside.begin(), stuck.inside.end(),
                     [&](std::uint32_t rank) {
                       const auto before = issuedOn(other, rank);
                       const auto after = issuedOn(stuck, rank);
                       return before && after && *before < *after;
                     });
}

// The operations that each rank is inside of, or waits behind.
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

// What may hold up an operation that all have joined: what one of those inside
// issued before it.
void addEarlier(const std::vector<StuckOperation>& all_stuck, std::uint32_t i,
                const ByRank& inside, std::vector<std::uint32_t>& edges) {
  if (!all_stuck[i].may_be_held_up) return;
  for (const std::uint32_t rank : all_stuck[i].inside) {
    const auto own = issuedOn(all_stuck[i], rank);
    for (const std::uint32_t j : inside.at(rank)) {
      const auto other = issuedOn(all_stuck[j], rank);
      // What somebody ended had begun on all: nothing held it up, and only the
      // first that they are behind in is told.
      const bool may_hold = !all_stuck[i].some_ended || all_stuck[j].some_ended;
      if (may_hold && own && other && *other < *own) edges.push_back(j);
    }
  }
}

// Where those may wait that are only perhaps inside: in what does not end for a
// reason that is known, else in what they issued first.
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

// What it waits for if a rank that it misses is held up there.
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
    // A message whose other side is in no operation, and is missing alone from
    // a collective: that it did not come there is what the message waits for.
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

// A message that both sides are inside.
bool isUndecidedMessage(const StuckOperation& stuck) {
  return stuck.verdict.pair && stuck.isHeldUpAtMost() &&
         stuck.without_dump.empty();
}

// Those between what stands still by itself.
Edges sureOf(const std::vector<StuckOperation>& all_stuck, Edges edges) {
  for (std::uint32_t i = 0; i < all_stuck.size(); ++i) {
    if (isOneSided(all_stuck[i])) edges[i].clear();
    std::erase_if(edges[i], [&](std::uint32_t other) {
      return all_stuck[other].isHeldUpAtMost() || all_stuck[other].isPerhaps();
    });
  }
  return edges;
}

// Without those to messages that nothing holds up: why they stand still is with
// one of their two sides, and that is who is missing.
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

// Who has not ended what others have is no witness: what only such ranks wait
// for may wait for them.
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

// These, and what may hold an operation up.
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
