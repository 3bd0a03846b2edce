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
ByRank missingAlone(const std::vector<Trouble>& troubles) {
  ByRank alone;
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    const Trouble& trouble = troubles[i];
    if (trouble.verdict.pair || trouble.missing.size() != 1) continue;
    alone[trouble.missing.front()].push_back(i);
  }
  return alone;
}

std::optional<std::int64_t> issuedOn(const Trouble& trouble,
                                     std::uint32_t rank) {
  const auto found = trouble.issued_ns.find(rank);
  return found == trouble.issued_ns.end() ? std::nullopt
                                          : std::optional(found->second);
}

// Whether somebody who is inside `other`, too, issued `trouble` after it: ranks
// make the same calls in the same order, so `other` keeps nobody from making
// that call.
bool isPassed(const Trouble& other, const Trouble& trouble) {
  if (other.verdict.pair || trouble.verdict.pair) return false;
  return std::any_of(trouble.inside.begin(), trouble.inside.end(),
                     [&](std::uint32_t rank) {
                       const auto before = issuedOn(other, rank);
                       const auto after = issuedOn(trouble, rank);
                       return before && after && *before < *after;
                     });
}

// The operations that each rank is inside of, or waits behind.
ByRank insideOf(const std::vector<Trouble>& troubles) {
  ByRank inside;
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    for (const std::uint32_t rank : troubles[i].inside) {
      inside[rank].push_back(i);
    }
    for (const std::uint32_t rank : troubles[i].waiting_behind) {
      inside[rank].push_back(i);
    }
  }
  return inside;
}

// What may hold up an operation that all have joined: what one of those inside
// issued before it.
void addEarlier(const std::vector<Trouble>& troubles, std::uint32_t i,
                const ByRank& inside, std::vector<std::uint32_t>& edges) {
  if (!troubles[i].may_be_held_up) return;
  for (const std::uint32_t rank : troubles[i].inside) {
    const auto own = issuedOn(troubles[i], rank);
    for (const std::uint32_t j : inside.at(rank)) {
      const auto other = issuedOn(troubles[j], rank);
      // What somebody ended had begun on all: nothing held it up, and only the
      // first that they are behind in is told.
      const bool may_hold = !troubles[i].some_ended || troubles[j].some_ended;
      if (may_hold && own && other && *other < *own) edges.push_back(j);
    }
  }
}

// Where those may wait that are only perhaps inside: in what does not end for a
// reason that is known, else in what they issued first.
void addInstead(const std::vector<Trouble>& troubles, std::uint32_t i,
                const ByRank& inside, std::vector<std::uint32_t>& edges) {
  if (!troubles[i].isPerhaps()) return;
  for (const std::uint32_t rank : troubles[i].inside) {
    const auto own = issuedOn(troubles[i], rank);
    for (const std::uint32_t j : inside.at(rank)) {
      const auto other = issuedOn(troubles[j], rank);
      const bool is_first = own && other && *other < *own;
      if (j != i && (!troubles[j].isPerhaps() || is_first)) edges.push_back(j);
    }
  }
}

// What it waits for if a rank that it misses is held up there.
std::vector<std::uint32_t> needsOf(const std::vector<Trouble>& troubles,
                                   std::uint32_t i, const ByRank& inside,
                                   const ByRank& alone) {
  std::vector<std::uint32_t> needs;
  for (const std::uint32_t rank : troubles[i].missing) {
    const std::size_t before = needs.size();
    const auto found = inside.find(rank);
    if (found != inside.end()) {
      for (const std::uint32_t other : found->second) {
        const bool waits =
            other != i && !isPassed(troubles[other], troubles[i]);
        if (waits) needs.push_back(other);
      }
    }
    // A message whose other side is in no operation, and is missing alone from
    // a collective: that it did not come there is what the message waits for.
    const Trouble& message = troubles[i];
    if (needs.size() > before || !message.verdict.pair) continue;
    const auto same = alone.find(rank);
    if (message.missing.size() != 1 || same == alone.end()) continue;
    needs.insert(needs.end(), same->second.begin(), same->second.end());
  }
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return needs;
}

Edges needsOf(const std::vector<Trouble>& troubles) {
  const ByRank inside = insideOf(troubles);
  const ByRank alone = missingAlone(troubles);
  Edges needs(troubles.size());
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    needs[i] = needsOf(troubles, i, inside, alone);
  }
  return needs;
}

// A message that both sides are inside.
bool isUndecidedMessage(const Trouble& trouble) {
  return trouble.verdict.pair && trouble.isHeldUpAtMost() &&
         trouble.without_dump.empty();
}

// Those between what stands still by itself.
Edges sureOf(const std::vector<Trouble>& troubles, Edges edges) {
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    if (isOneSided(troubles[i])) edges[i].clear();
    std::erase_if(edges[i], [&](std::uint32_t other) {
      return troubles[other].isHeldUpAtMost() || troubles[other].isPerhaps();
    });
  }
  return edges;
}

// Without those to messages that nothing holds up: why they stand still is with
// one of their two sides, and that is who is missing.
void leaveOutDeadEnds(const std::vector<Trouble>& troubles, Edges& edges) {
  std::vector<bool> is_dead_end(troubles.size());
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    is_dead_end[i] = edges[i].empty() && isUndecidedMessage(troubles[i]);
  }
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    if (troubles[i].missing.empty()) continue;
    std::erase_if(edges[i],
                  [&](std::uint32_t other) { return is_dead_end[other]; });
  }
}

// Who has not ended what others have is no witness: what only such ranks wait
// for may wait for them.
void addBehind(const std::vector<Trouble>& troubles, const ByRank& inside,
               std::uint32_t i, std::vector<std::uint32_t>& edges) {
  if (troubles[i].missing.empty() || troubles[i].inside.empty()) return;
  std::vector<std::uint32_t> behind;
  for (const std::uint32_t rank : troubles[i].inside) {
    const std::size_t before = behind.size();
    for (const std::uint32_t j : inside.at(rank)) {
      const std::vector<std::uint32_t>& in = troubles[j].inside;
      const bool is_behind = troubles[j].may_be_held_up &&
                             troubles[j].some_ended &&
                             std::binary_search(in.begin(), in.end(), rank);
      if (is_behind) behind.push_back(j);
    }
    if (behind.size() == before) return;
  }
  edges.insert(edges.end(), behind.begin(), behind.end());
}

// These, and what may hold an operation up.
Edges withEarlier(const std::vector<Trouble>& troubles, Edges edges) {
  const ByRank inside = insideOf(troubles);
  for (std::uint32_t i = 0; i < troubles.size(); ++i) {
    addEarlier(troubles, i, inside, edges[i]);
    addInstead(troubles, i, inside, edges[i]);
    addBehind(troubles, inside, i, edges[i]);
    std::sort(edges[i].begin(), edges[i].end());
    edges[i].erase(std::unique(edges[i].begin(), edges[i].end()),
                   edges[i].end());
  }
  leaveOutDeadEnds(troubles, edges);
  return edges;
}

}  // namespace

bool isOneSided(const Trouble& trouble) {
  return trouble.verdict.pair && trouble.may_be_held_up &&
         !trouble.missing.empty();
}

WaitEdges waitEdgesOf(const std::vector<Trouble>& troubles) {
  Edges needs = needsOf(troubles);
  WaitEdges edges;
  edges.all = withEarlier(troubles, needs);
  edges.sure = sureOf(troubles, std::move(needs));
  return edges;
}

}  // namespace traced
