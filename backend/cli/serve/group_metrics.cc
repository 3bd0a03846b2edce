#include "cli/serve/group_metrics.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/stream/names.h"
#include "trace_io/correlation.h"

namespace traced {
namespace {

// From this age on, an operation in flight has its call site in a metric of its
// own, which would otherwise be a new series for each operation.
constexpr std::uint64_t kLongNs = 5'000'000'000;

// Returns an id that is equal on all hosts.
std::string groupId(const JobGroup& group) {
  GroupHash hash(group.attempt, group.leg, group.nth);
  group.members.forEach([&](std::uint32_t member) { hash.add(member); });
  return absl::StrFormat("%016x", hash.value());
}

class GroupMetrics {
 public:
  GroupMetrics(const WatchedJobs::Job& job, const MetricLabels& labels,
               std::int64_t now_ns, MetricFamilies& out)
      : job_(job), labels_(labels), now_(now_ns), out_(out) {}

  void add() {
    const std::vector<JobGroup>& groups = job_.live.groups().groups();
    for (const JobGroup& group : groups) {
      if (group_labels_.size() == LiveSums::kMaxGroups) break;
      group_labels_.push_back(
          with({{"group", group.label}, {"id", groupId(group)}}));
    }
    out_.gauge("traced_folded_groups",
               "Groups without metrics of their own for each rank", labels_,
               static_cast<double>(groups.size() - group_labels_.size()));
    for (std::uint32_t i = 0; i < group_labels_.size(); ++i) addBlocks(i);
    for (std::size_t i = 0; i < job_.ranks.size(); ++i) {
      addMember(*job_.live.members()[i], job_.ranks[i].alive);
    }
  }

 private:
  using Labels = MetricLabels;

  Labels with(Labels more) const { return joined(labels_, std::move(more)); }

  void addBlocks(std::uint32_t group) {
    for (const OrderBlocks::Block& block : job_.live.blocks().of(group)) {
      out_.gauge(
          "traced_group_signature",
          "Hash of the calls of a block of 64 collectives: equal on all "
          "hosts if their programs are",
          joined(group_labels_[group], {{"block", absl::StrCat(block.number)}}),
          static_cast<double>(block.hash));
    }
  }

  void addMember(const LiveJob::Member& member, bool alive) {
    const std::string rank = absl::StrCat(member.stream.table().header.rank());
    for (std::uint32_t i = 0; i < group_labels_.size(); ++i) {
      if (member.lastSeq(i) == 0) continue;
      const Labels labels = joined(group_labels_[i], {{"rank", rank}});
      out_.counter("traced_group_calls", "Collectives that the rank called",
                   labels, static_cast<double>(member.lastSeq(i)));
      addTimes(member, i, labels);
    }
    if (alive) addInFlight(member, rank);
  }

  void addTimes(const LiveJob::Member& member, std::uint32_t group,
                const Labels& labels) {
    const auto& sums = job_.live.sums().groups;
    const auto found = sums.find({member.stream.table().header.rank(), group});
    if (found == sums.end()) return;
    out_.counter("traced_group_wait_seconds",
                 "Time from issue to end of the collectives, each instant once",
                 labels, metricSeconds(found->second.inside.ns()));
    out_.counter("traced_group_own_seconds", "Time between the collectives",
                 labels, metricSeconds(found->second.betweenNs()));
  }

  // Adds the oldest collective in flight of each group.
  void addInFlight(const LiveJob::Member& member, const std::string& rank) {
    std::map<std::uint32_t, AssembledOperation> oldest;
    member.stream.forEachInFlight([&](const AssembledOperation& op) {
      const MatchedCall* call = member.calls ? member.calls->of(op) : nullptr;
      if (!call || call->key.isMessage() ||
          call->key.group >= group_labels_.size()) {
        return;
      }
      const auto [known, is_new] = oldest.try_emplace(call->key.group, op);
      if (!is_new && known->second.issued.isAfter(op.issued)) {
        known->second = op;
      }
    });
    for (const auto& [group, op] : oldest) {
      const auto age_ns = between(op.issued, now_);
      if (age_ns) addOldest(member, op, *age_ns, group_labels_[group], rank);
    }
  }

  void addOldest(const LiveJob::Member& member, const AssembledOperation& op,
                 std::uint64_t age_ns, const Labels& group,
                 const std::string& rank) {
    const StreamTable& table = member.stream.table();
    const Labels labels = joined(group, {{"rank", rank}});
    out_.gauge("traced_group_oldest_in_flight_seconds",
               "Age of the rank's oldest collective that has not ended", labels,
               metricSeconds(age_ns));
    out_.gauge("traced_group_oldest_in_flight_number",
               "The number of that collective in its group", labels,
               static_cast<double>(op.seq));
    if (age_ns < kLongNs) return;
    out_.gauge("traced_group_stuck_info",
               "What the rank has been in for 5 s, and where it called that",
               joined(labels, {{"op", nameOf(table.callOf(op)->op())},
                               {"site", table.siteOf(op)},
                               {"host", table.header.host()},
                               {"pid", absl::StrCat(table.header.pid())}}),
               1);
  }

  const WatchedJobs::Job& job_;
  const Labels& labels_;
  const Instant now_;
  MetricFamilies& out_;
  std::vector<Labels> group_labels_;
};

}  // namespace

void addGroupMetrics(const WatchedJobs::Job& job, const MetricLabels& labels,
                     std::int64_t now_ns, MetricFamilies& out) {
  GroupMetrics(job, labels, now_ns, out).add();
}

}  // namespace traced
