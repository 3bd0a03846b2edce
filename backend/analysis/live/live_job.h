// LiveJob is the ranks of one job that run on this host, seen together.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/job/matched_calls.h"
#include "analysis/live/late_rank.h"
#include "analysis/live/live_links.h"
#include "analysis/live/live_stream.h"
#include "analysis/live/live_sums.h"
#include "analysis/live/order_watch.h"
#include "analysis/time_split/ready_table.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Not thread safe.
class LiveJob {
 public:
  // How long after its issue an operation that is over is kept for other ranks'
  // parts in it.
  static constexpr std::int64_t kLateNs =
      2 * AssembledOperation::kMaxDurationNs;
  // So many calls of a rank are known when ranks are seen to have diverged.
  static constexpr std::size_t kRecentCalls = 4096;

  // What all operations of one call have in common.
  struct CallAccumulators {
    // nullptr: not looked for, or a call that communicates nothing.
    CallTotals* kind = nullptr;
    LiveSums::OfRank* rank = nullptr;
    LiveSums::Times* times = nullptr;
    LiveSums::OfSize* size = nullptr;
    std::uint64_t message_bytes = 0;
    double bus_factor = 0;  // 0: it has no bandwidth
    bool captured = false;
    // Absent: not looked for yet.
    std::optional<std::vector<LiveLinks::LinkIndex>> links;
  };
  // What was called under a number of a group.
  struct RecentCall {
    std::uint64_t seq = 0;
    std::uint32_t group = 0;
    std::uint32_t call = 0;
    std::uint32_t stack = 0;
  };
  struct Member {
    explicit Member(const v1::Header& header) : stream(header) {}

    LiveStream stream;
    // Of its groups, their indices in the catalog.
    std::vector<std::uint32_t> groups;
    std::optional<MatchedCalls> calls;
    // Where operations of each call are added.
    std::vector<CallAccumulators> places;
    // Up to which operation its order was looked at.
    std::uint64_t watched_id = 0;
    bool watched_any = false;
    // Of each group of the catalog, the last number that was called.
    std::vector<std::uint64_t> last_seqs;
    // The latest numbered calls of all groups, in a circle.
    std::vector<RecentCall> recent;
    std::size_t next_recent = 0;

    std::uint64_t lastSeq(std::uint32_t group) const {
      return group < last_seqs.size() ? last_seqs[group] : 0;
    }
  };

  // A stream that reads this host's clock; stays where it is.
  LiveStream& add(const v1::Header& header);
  // In the order of their ranks.
  const std::vector<std::unique_ptr<Member>>& members() const {
    return members_;
  }
  // nullptr: it does not run here.
  const Member* find(std::uint32_t rank) const;
  const v1::Header& header() const {
    return members_.front()->stream.table().header;
  }

  // Counts what is over by now, on the clock of the host: another interval.
  // `starved`: processes of the host wait for processors.
  void count(std::int64_t now_ns, bool starved = false);

  const GroupCatalog& groups() const { return catalog_; }
  const LiveSums& sums() const { return sums_; }
  std::uint64_t intervals() const { return intervals_; }
  const std::vector<OrderWatch::Divergence>& divergences() const {
    return order_.divergences();
  }
  const OrderWatch& order() const { return order_; }
  // Ranks of another host called something else under a number of a group. True
  // if divergences() have more than before.
  bool dispute(std::uint32_t group, std::uint64_t seq);
  // Who keeps others waiting.
  const std::optional<LateRank::Late>& late() const { return late_.late(); }
  // Whose transfers are slow.
  const std::vector<LiveLinks::Slow>& slowLinks() const {
    return links_.slow();
  }

 private:
  void learn(Member& member);
  void watchOrder(Member& member);
  void reportPart(const Member& member, const RecentCall& recent);
  void reportParts(std::uint32_t group, std::uint64_t seq);
  // Whether all ranks with a part in a call run here.
  bool isWithin(const MatchedCall& call) const;
  void countOf(Member& member, const ReadyTable& ready_times,
               std::int64_t now_ns);
  CallAccumulators placeOf(const Member& member, const v1::Call& call);
  void addTotals(Member& member, const AssembledOperation& op,
                 const OperationSplit& split, const MatchedCall* matched);
  void addUnseenWait(const Member& member, const AssembledOperation& op);
  void closeUnseenWaits(const Member& member, std::int64_t now_ns);
  void addTransfer(Member& member, CallAccumulators& place,
                   const AssembledOperation& op, const OperationSplit& split,
                   const MatchedCall& matched);
  void addLateness(const OperationSplit& split, const MatchedCall& matched,
                   std::uint32_t rank, LiveSums::Lateness& lateness);
  void addSize(const CallAccumulators& place, std::uint64_t completion_ns);

  std::vector<std::unique_ptr<Member>> members_;
  GroupCatalog catalog_;
  LiveSums sums_;
  OrderWatch order_;
  LateRank late_;
  LiveLinks links_;
  v1::ClockModel clock_;
  std::uint64_t intervals_ = 0;
};

}  // namespace traced
