// LiveJob combines the ranks of one job that run on this host.

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
#include "analysis/live/order_blocks.h"
#include "analysis/live/order_watch.h"
#include "analysis/time_split/ready_table.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Not thread safe.
class LiveJob {
 public:
  // How long after its issue a finished operation is kept for the parts of
  // other ranks.
  static constexpr std::int64_t kLateNs =
      2 * AssembledOperation::kMaxDurationNs;
  // Number of calls remembered per rank, to describe a divergence.
  static constexpr std::size_t kRecentCalls = 4096;

  // The accumulators for operations of one call.
  struct CallAccumulators {
    // nullptr: not determined yet, or the call communicates nothing.
    CallTotals* kind = nullptr;
    LiveSums::OfRank* rank = nullptr;
    LiveSums::Times* times = nullptr;
    LiveSums::OfSize* size = nullptr;
    std::uint64_t message_bytes = 0;
    double bus_factor = 0;  // 0: the call has no bandwidth
    bool captured = false;
    // Absent: not determined yet.
    std::optional<std::vector<LiveLinks::LinkIndex>> links;
  };
  // A numbered call: its sequence number and its group in the catalog.
  struct RecentCall {
    std::uint64_t seq = 0;
    std::uint32_t group = 0;
    // Index into the stream's calls, and id of the stack.
    std::uint32_t call = 0;
    std::uint32_t stack = 0;
  };
  struct Member {
    explicit Member(const v1::Header& header) : stream(header) {}

    LiveStream stream;
    // Catalog index of each of the stream's groups.
    std::vector<std::uint32_t> groups;
    std::optional<MatchedCalls> calls;
    // Per call: where its operations are counted.
    std::vector<CallAccumulators> accumulators;
    // The last operation whose order was checked.
    std::uint64_t watched_id = 0;
    bool watched_any = false;
    // The last sequence number called, by group of the catalog.
    std::vector<std::uint64_t> last_seqs;
    // Ring buffer of the latest numbered calls of all groups.
    std::vector<RecentCall> recent;
    std::size_t next_recent = 0;

    std::uint64_t lastSeq(std::uint32_t group) const {
      return group < last_seqs.size() ? last_seqs[group] : 0;
    }
  };

  // Adds the stream of a rank of this host. The reference stays valid. Pass its
  // records to it before each count().
  LiveStream& add(const v1::Header& header);
  // Sorted by rank.
  const std::vector<std::unique_ptr<Member>>& members() const {
    return members_;
  }
  // Returns nullptr if the rank does not run on this host.
  const Member* find(std::uint32_t rank) const;
  // Returns the header of the lowest rank. Call only after add().
  const v1::Header& header() const {
    return members_.front()->stream.table().header;
  }

  // Counts the operations that have ended since the last call, updates all
  // results below, and begins the next interval. `now_ns`: on the clock of the
  // streams. `starved`: processes of the host wait for CPUs.
  void count(std::int64_t now_ns, bool starved = false);

  const GroupCatalog& groups() const { return catalog_; }
  const LiveSums& sums() const { return sums_; }
  // Returns the number of calls of count(). Compare with OfSize::interval.
  std::uint64_t intervals() const { return intervals_; }
  const std::vector<OrderWatch::Divergence>& divergences() const {
    return order_.divergences();
  }
  const OrderWatch& order() const { return order_; }
  const OrderBlocks& blocks() const { return blocks_; }
  // Records that ranks of another host made a different call with sequence
  // number `seq` of a group of the catalog. Returns true if divergences()
  // changed: see OrderWatch::dispute().
  bool dispute(std::uint32_t group, std::uint64_t seq);
  // Returns the rank that keeps others waiting, as of the last count(). Absent
  // if none does.
  const std::optional<LateRank::Late>& late() const { return late_.late(); }
  // Returns the ranks and links with slow transfers, as of the last count().
  const std::vector<LiveLinks::Slow>& slowLinks() const {
    return links_.slow();
  }

 private:
  // Updates the member's groups and matched calls after new definitions.
  void learn(Member& member);
  // Passes the member's new collectives to OrderWatch.
  void watchOrder(Member& member);
  // Adds one rank's call to the divergence of its group.
  void reportPart(const Member& member, const RecentCall& recent);
  // Adds the calls of all local ranks that have `seq` of the group among their
  // last kRecentCalls calls.
  void reportParts(std::uint32_t group, std::uint64_t seq);
  // Returns whether all ranks that take part in a call run on this host.
  bool isWithin(const MatchedCall& call) const;
  // Counts the member's settled operations and forgets them. Keeps those whose
  // other parts may still arrive, for up to kLateNs.
  void countOf(Member& member, const ReadyTable& ready_times,
               std::int64_t now_ns);
  // Returns the accumulators for a call, without `links`.
  CallAccumulators accumulatorsOf(const Member& member, const v1::Call& call);
  // Adds an operation to all sums of its call. `matched`: nullptr if it is
  // not matched with operations of other ranks.
  void addTotals(Member& member, const AssembledOperation& op,
                 const OperationSplit& split, const MatchedCall* matched);
  // Counts an operation that may have been waited for without a record, and
  // adds that time to the bound of its rank. Call once per operation, when it
  // is no longer in flight.
  void addUnseenWait(const Member& member, const AssembledOperation& op);
  // Ends the member's open unseen waits at `now_ns`, so that their sum is an
  // upper bound again. Does nothing if LiveStream::mayHaveMoreInFlight(). Call
  // after countOf().
  void closeUnseenWaits(const Member& member, std::int64_t now_ns);
  // Adds the operation's transfer time to the links of its call. Skips members
  // of a batch and operations without a known transfer time.
  void addTransfer(Member& member, CallAccumulators& accumulators,
                   const AssembledOperation& op, const OperationSplit& split,
                   const MatchedCall& matched);
  // Counts whether `rank` was last in the operation. Requires split.ready.
  void addLateness(const OperationSplit& split, const MatchedCall& matched,
                   std::uint32_t rank, LiveSums::Lateness& lateness);
  // Adds a completion time, and the bus bandwidth it implies, to the sums of
  // the message size. Discards sums of earlier intervals.
  void addSize(const CallAccumulators& accumulators,
               std::uint64_t completion_ns);

  std::vector<std::unique_ptr<Member>> members_;
  GroupCatalog catalog_;
  LiveSums sums_;
  OrderWatch order_;
  OrderBlocks blocks_;
  LateRank late_;
  LiveLinks links_;
  v1::ClockModel clock_;
  std::uint64_t intervals_ = 0;
};

}  // namespace traced
