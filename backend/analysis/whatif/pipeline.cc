#include "analysis/whatif/pipeline.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "analysis/stream/operation_kinds.h"

namespace traced::whatif {
namespace {

using Neighbours = absl::btree_set<std::uint32_t>;

// Ranks that exchange messages, by their indices.
class MessageGraph {
 public:
  explicit MessageGraph(const ReplayJob& job) : job_(job) {
    sends_to_.resize(job.ranks.size());
    senders_.assign(job.meetings.size(), kNone);
    for (std::uint32_t i = 0; i < job.ranks.size(); ++i) {
      for (const Event& event : job.ranks[i].events) addSend(event, i);
    }
    for (std::uint32_t i = 0; i < job.ranks.size(); ++i) {
      for (const Event& event : job.ranks[i].events) addReceive(event, i);
    }
  }

  // Returns the lines of ranks, ascending; empty if any rank is in none.
  std::vector<std::vector<std::uint32_t>> lines() const {
    std::vector<std::vector<std::uint32_t>> lines;
    std::vector<bool> seen(sends_to_.size());
    for (std::uint32_t i = 0; i < sends_to_.size(); ++i) {
      if (seen[i]) continue;
      lines.push_back(componentOf(i, seen));
      if (!isLine(lines.back())) return {};
    }
    return lines;
  }

 private:
  void addSend(const Event& event, std::uint32_t rank) {
    if (event.is_wait) return;
    if (job_.kinds[event.kind].op != v1::OPERATION_SEND) return;
    if (job_.meetings[event.meeting].part == Meeting::Part::kWhole) {
      senders_[event.meeting] = rank;
    }
  }
  void addReceive(const Event& event, std::uint32_t rank) {
    if (event.is_wait) return;
    if (job_.kinds[event.kind].op != v1::OPERATION_RECV) return;
    const std::uint32_t sender = senders_[event.meeting];
    if (sender != kNone) sends_to_[sender].insert(rank);
  }

  std::vector<std::uint32_t> componentOf(std::uint32_t first,
                                         std::vector<bool>& seen) const {
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint32_t> open{first};
    seen[first] = true;
    while (!open.empty()) {
      const std::uint32_t rank = open.back();
      open.pop_back();
      ranks.push_back(rank);
      for (const std::uint32_t peer : sends_to_[rank]) {
        if (!seen[peer]) open.push_back(peer);
        seen[peer] = true;
      }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  // Returns whether each rank exchanges messages with its neighbours only.
  bool isLine(const std::vector<std::uint32_t>& ranks) const {
    if (ranks.size() < 2) return false;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      Neighbours neighbours;
      if (i > 0) neighbours.insert(ranks[i - 1]);
      if (i + 1 < ranks.size()) neighbours.insert(ranks[i + 1]);
      if (sends_to_[ranks[i]] != neighbours) return false;
    }
    return true;
  }

  const ReplayJob& job_;
  std::vector<Neighbours> sends_to_;
  // Per meeting: the rank that sends.
  std::vector<std::uint32_t> senders_;
};

}  // namespace

Pipeline findPipeline(const ReplayJob& job) {
  const bool has_messages =
      std::any_of(job.kinds.begin(), job.kinds.end(),
                  [](const Kind& kind) { return isPointToPoint(kind.op); });
  if (!has_messages) return {};
  const auto lines = MessageGraph(job).lines();
  Pipeline pipeline;
  if (lines.empty()) return pipeline;
  const std::size_t length = lines.front().size();
  pipeline.stage_of.resize(job.ranks.size());
  for (const auto& line : lines) {
    if (line.size() != length) return {};
    for (std::uint32_t stage = 0; stage < length; ++stage) {
      pipeline.stage_of[line[stage]] = stage;
    }
  }
  pipeline.stages = static_cast<std::uint32_t>(length);
  return pipeline;
}

namespace {

struct Mean {
  double sum_ns = 0;
  double count = 0;

  void add(double ns) {
    sum_ns += ns;
    ++count;
  }
  double ns() const { return count > 0 ? sum_ns / count : 0; }
};

// Averages gaps by the events around them.
class Balancer {
 public:
  Balancer(const ReplayJob& job, const Pipeline& pipeline)
      : job_(job), pipeline_(pipeline), stage_sums_(pipeline.stages) {}

  std::vector<std::vector<float>> balance() {
    for (std::uint32_t i = 0; i < job_.ranks.size(); ++i) {
      Mean& of_stage = stage_sums_[pipeline_.stage_of[i]];
      double messages_ns = 0;
      visit(i, [&](std::size_t, const Event& event, const Key& key,
                   bool by_message) {
        means_[key].add(event.gap_ns);
        if (by_message) messages_ns += event.gap_ns;
      });
      of_stage.add(messages_ns);
      all_.add(messages_ns);
    }
    std::vector<std::vector<float>> gaps;
    for (std::uint32_t i = 0; i < job_.ranks.size(); ++i) {
      gaps.push_back(balancedOf(i));
    }
    return gaps;
  }

 private:
  // The stage or kNone, and the events before and after a gap.
  using Key = std::array<std::uint32_t, 3>;

  std::uint32_t placeOf(const Event* event) const {
    if (!event) return kNone;
    return job_.kinds[event->kind].place * 2 + event->is_wait;
  }
  bool isMessage(const Event* event) const {
    return event && isPointToPoint(job_.kinds[event->kind].op);
  }

  template <typename Visit>
  void visit(std::uint32_t index, Visit&& visit) const {
    const RankEvents& rank = job_.ranks[index];
    std::size_t step = 0;
    const Event* before = nullptr;
    for (std::size_t i = 0; i < rank.events.size(); ++i) {
      const Event& event = rank.events[i];
      if (event.is_unseen) continue;
      while (step < rank.steps.size() && rank.steps[step].first_event <= i) {
        // The time before a step is not part of it.
        if (rank.steps[step++].first_event == i) before = nullptr;
      }
      const bool by_message = isMessage(before) || isMessage(&event);
      const std::uint32_t stage =
          by_message ? pipeline_.stage_of[index] : kNone;
      visit(i, event, Key{stage, placeOf(before), placeOf(&event)}, by_message);
      before = &event;
    }
  }

  std::vector<float> balancedOf(std::uint32_t index) const {
    const RankEvents& rank = job_.ranks[index];
    std::vector<float> gaps(rank.events.size());
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      gaps[i] = rank.events[i].gap_ns;
    }
    const double stage_ns = stage_sums_[pipeline_.stage_of[index]].ns();
    const double scale = stage_ns > 0 ? all_.ns() / stage_ns : 1;
    visit(index, [&](std::size_t i, const Event&, const Key& key,
                     bool by_message) {
      const double mean_ns = means_.at(key).ns();
      gaps[i] = static_cast<float>(by_message ? mean_ns * scale : mean_ns);
    });
    return gaps;
  }

  const ReplayJob& job_;
  const Pipeline& pipeline_;
  absl::flat_hash_map<Key, Mean> means_;
  // Per rank: the sum of gaps next to messages.
  std::vector<Mean> stage_sums_;
  Mean all_;
};

}  // namespace

std::vector<std::vector<float>> balancedGaps(const ReplayJob& job,
                                             const Pipeline& pipeline) {
  return Balancer(job, pipeline).balance();
}

}  // namespace traced::whatif
