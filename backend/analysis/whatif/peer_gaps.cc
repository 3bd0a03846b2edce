#include "analysis/whatif/peer_gaps.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "absl/container/btree_map.h"
#include "base/threads.h"

namespace traced::whatif {
namespace {

// Number of events that a thread compares at a time.
constexpr std::size_t kPlaces = 2'048;
constexpr std::size_t kAllPlaces = ~std::size_t{0};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 29;
}

// Returns a number that is equal for ranks that do the same in a step. Waits
// without a join between them may be in any order.
std::uint64_t signatureOf(const ReplayJob& job, const RankEvents& rank,
                          std::size_t step, std::uint32_t stage) {
  std::uint64_t hash = stage + 1;
  std::uint64_t waits = 0;
  for (const Event& event : rank.of(rank.sections, step)) {
    if (!event.isCompared()) continue;
    const std::uint64_t place = job.kinds[event.kind].place + 1;
    if (event.is_wait) {
      waits += mix(1, place);
      continue;
    }
    hash = mix(mix(hash, waits), place);
    waits = 0;
  }
  return mix(hash, waits);
}

std::vector<Peers> peersOf(const ReplayJob& job,
                           const std::vector<std::uint32_t>& stage_of) {
  absl::btree_map<std::uint64_t, Peers> of_step;
  for (std::uint32_t i = 0; i < job.ranks.size(); ++i) {
    const auto& steps = job.ranks[i].sections;
    for (std::uint32_t step = 0; step < steps.size(); ++step) {
      of_step[steps[step].number].push_back({i, step});
    }
  }
  std::vector<Peers> all;
  for (const auto& [number, ranks] : of_step) {
    absl::btree_map<std::uint64_t, Peers> by_signature;
    for (const RankStep& each : ranks) {
      const std::uint32_t stage = stage_of.empty() ? 0 : stage_of[each.rank];
      const std::uint64_t signature =
          signatureOf(job, job.ranks[each.rank], each.step, stage);
      by_signature[signature].push_back(each);
    }
    for (auto& [signature, peers] : by_signature) {
      if (peers.size() > 1) all.push_back(std::move(peers));
    }
  }
  return all;
}

bool allCompared(const ReplayJob& job) {
  for (const RankEvents& rank : job.ranks) {
    for (const Event& event : rank.events) {
      if (!event.isCompared()) return false;
    }
  }
  return true;
}

// Some places of one set of peers.
struct Task {
  const Peers* peers = nullptr;
  std::size_t first = 0;
};

class Comparer {
 public:
  // If some events are not compared, only a walk from the first event finds a
  // place.
  Comparer(const ReplayJob& job, PeerGaps& gaps)
      : job_(job),
        gaps_(gaps),
        places_(allCompared(job) ? kPlaces : kAllPlaces) {
    for (const Peers& peers : gaps.peers) {
      for (const RankStep& each : peers) {
        gaps.steps[each.rank][each.step].peers_ns = 0;
      }
      const RankStep& first = peers.front();
      const std::size_t places =
          job.ranks[first.rank]
              .of(job.ranks[first.rank].sections, first.step)
              .size();
      for (std::size_t i = 0; i < places; i += std::min(places_, places)) {
        tasks_.push_back({&peers, i});
      }
    }
  }

  void compare(std::size_t threads) {
    std::atomic<std::size_t> next{0};
    inThreads(threads, [&](std::size_t) {
      for (std::size_t i = next++; i < tasks_.size(); i = next++) {
        compare(tasks_[i]);
      }
    });
  }

 private:
  // A rank's position in its step while all ranks walk through it together.
  struct Walker {
    const RankEvents* rank = nullptr;
    std::uint32_t next = 0;
    double own_ns = 0;
    double may_wait_ns = 0;
    double peers_ns = 0;
  };

  void skipUncompared(Walker& walker) const {
    while (walker.next < walker.rank->events.size() &&
           !walker.rank->events[walker.next].isCompared()) {
      ++walker.next;
    }
  }

  // Moves all walkers to the place with this number.
  std::vector<Walker> walkersAt(const Task& task) const {
    std::vector<Walker> walkers;
    for (const RankStep& each : *task.peers) {
      const RankEvents& rank = job_.ranks[each.rank];
      Walker walker{&rank, rank.sections[each.step].first_event};
      walker.next += static_cast<std::uint32_t>(task.first);
      walkers.push_back(walker);
    }
    return walkers;
  }

  void compare(const Task& task) {
    std::vector<Walker> walkers = walkersAt(task);
    std::vector<std::pair<float, std::uint32_t>> order(walkers.size());
    std::vector<float> sorted(walkers.size());
    for (std::size_t place = 0; place < places_; ++place) {
      double sum_ns = 0;
      for (std::uint32_t i = 0; i < walkers.size(); ++i) {
        Walker& walker = walkers[i];
        skipUncompared(walker);
        // All peers have equally many events that are compared.
        if (walker.next >= endOf(task, i)) return add(task, walkers);
        const float gap_ns = walker.rank->events[walker.next].gap_ns;
        order[i] = {gap_ns, i};
        sum_ns += gap_ns;
      }
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = order[i].first;
      const auto mean_ns =
          static_cast<float>(sum_ns / static_cast<double>(order.size()));
      for (std::size_t i = 0; i < order.size(); ++i) {
        Walker& walker = walkers[order[i].second];
        const std::uint32_t rank = (*task.peers)[order[i].second].rank;
        const float median_ns = medianWithout(sorted, i);
        gaps_.median[rank][walker.next] = median_ns;
        gaps_.mean[rank][walker.next] = mean_ns;
        gaps_.largest[rank][walker.next] =
            sorted[sorted.size() - (i + 1 == sorted.size() ? 2 : 1)];
        walker.own_ns += sorted[i];
        walker.may_wait_ns += walker.rank->events[walker.next].may_wait_ns;
        walker.peers_ns += median_ns;
        ++walker.next;
      }
    }
    add(task, walkers);
  }

  std::uint32_t endOf(const Task& task, std::uint32_t walker) const {
    const RankStep& each = (*task.peers)[walker];
    const RankEvents& rank = job_.ranks[each.rank];
    return rank.endOf(rank.sections, each.step);
  }

  void add(const Task& task, const std::vector<Walker>& walkers) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < walkers.size(); ++i) {
      const RankStep& each = (*task.peers)[i];
      StepComputing& sums = gaps_.steps[each.rank][each.step];
      sums.own_ns += static_cast<float>(walkers[i].own_ns);
      sums.may_wait_ns += static_cast<float>(walkers[i].may_wait_ns);
      sums.peers_ns += static_cast<float>(walkers[i].peers_ns);
    }
  }

  const ReplayJob& job_;
  PeerGaps& gaps_;
  const std::size_t places_;
  std::vector<Task> tasks_;
  std::mutex mutex_;
};

std::vector<float> gapsOf(const RankEvents& rank) {
  std::vector<float> gaps;
  gaps.reserve(rank.events.size());
  for (const Event& event : rank.events) gaps.push_back(event.gap_ns);
  return gaps;
}

}  // namespace

float medianWithout(const std::vector<float>& sorted, std::size_t position) {
  const auto at = [&](std::size_t i) {
    return sorted[i < position ? i : i + 1];
  };
  const std::size_t count = sorted.size() - 1;
  if (count % 2 == 1) return at(count / 2);
  return (at(count / 2 - 1) + at(count / 2)) / 2;
}

PeerGaps comparePeers(const ReplayJob& job,
                      const std::vector<std::uint32_t>& stage_of,
                      std::size_t threads) {
  PeerGaps gaps;
  for (const RankEvents& rank : job.ranks) {
    gaps.median.push_back(gapsOf(rank));
    gaps.mean.push_back(gaps.median.back());
    gaps.largest.push_back(gaps.median.back());
    gaps.steps.emplace_back(rank.sections.size());
  }
  gaps.peers = peersOf(job, stage_of);
  Comparer(job, gaps).compare(threads);
  return gaps;
}

}  // namespace traced::whatif
