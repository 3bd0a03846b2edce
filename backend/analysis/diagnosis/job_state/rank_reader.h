// RankReader adds one stream to the state of the job, with instants of the
// stream's clock.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/job_state/group_stops.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/job_state/local_findings.h"
#include "analysis/diagnosis/job_state/rank_timing.h"
#include "analysis/diagnosis/job_state/reached.h"

namespace traced {

// Reads one stream, which must outlive this object.
class RankReader {
 public:
  RankReader(JobState& job, const StreamTable& table, std::uint64_t stride,
             std::size_t most_long);

  // Reads the stream. Call it once.
  void read(std::uint32_t clock_name);

 private:
  // Properties of a call definition, computed once.
  struct KnownCall {
    enum class Kind : std::uint8_t { kSkip, kCollective, kSend, kReceive };
    const v1::Call* call = nullptr;
    Kind kind = Kind::kSkip;
    const EngineTraits* engine = &kUnknownEngine;
    bool gives_splits = false;
    std::uint32_t group = GroupCatalog::kNone;
    // Index into `collectives_`.
    std::uint32_t collectives = 0;
    std::uint32_t signature = 0;
    std::uint64_t split_share = 0;
    // nullptr for a receive from any source.
    PairSide* side = nullptr;
  };
  struct Unsorted {
    const AssembledOperation* op;
    ReadyTime ready;
  };
  // State of one group's collectives while the stream is read.
  struct Collectives {
    GroupState* group = nullptr;
    bool started = false;
    // Whether the collectives are in order of their numbers, and the last
    // number so far.
    bool in_order = true;
    std::uint64_t last_seq = 0;
    // The thread of the first collective. 0 if unknown.
    std::uint32_t thread = 0;
    // Issue time of the previous collective.
    Instant last_issued;
    // All collectives, if they are not in order.
    std::vector<Unsorted> unsorted;
  };
  // A collective in or before which the rank spent much time. Another rank may
  // have been late to it.
  struct LongOne {
    std::uint64_t ns;
    GroupState* group;
    Timing timing;

    bool operator>(const LongOne& other) const { return ns > other.ns; }
  };
  struct Message {
    PairSide* side;
    std::uint64_t seq;
    std::uint32_t message;
    Reached reached;
    ReadyTime ready;
    const AssembledOperation* op;
  };

  // Describes a call definition, and registers its signature and pair with the
  // job. Its kind is kSkip if its operations are not judged.
  KnownCall describe(const v1::Call& call);
  void findOrder();
  // Returns when the stream's last operation was issued, in ns of the stream's
  // clock. Requires an operation. Scans all operations on the first call only.
  std::int64_t lastIssueNs();
  void readOperations();
  // Adds a collective to its group: at once, or after sorting if the numbers of
  // the group are not in order. A collective without a number only updates the
  // rank's state.
  void readCollective(const AssembledOperation& op, const KnownCall& known);
  std::optional<Timing> timeCollective(const AssembledOperation& op,
                                       const KnownCall& known,
                                       const ReadyTime& ready) const;
  void keepIfLong(const AssembledOperation& op, const KnownCall& known,
                  const ReadyTime& ready);
  // Adds the timings kept by keepIfLong to their groups.
  void reportLong();
  // Adds a collective to the table of its group, and times it.
  void join(const AssembledOperation& op, const KnownCall& known,
            const ReadyTime& ready);
  // Joins the collectives of groups that were not in order of their numbers.
  void joinUnsorted();
  // Reads how many collectives the backends counted as enqueued and completed.
  void readCounters();
  void readMessage(const AssembledOperation& op, const KnownCall& known);
  // Adds the messages to their pairs, in order of their numbers.
  void addMessages();
  Timing timeMessage(const Message& message) const;
  // Updates the operations that the rank's state refers to.
  void noteState(const AssembledOperation& op, const v1::Call& call,
                 Reached reached);
  void reportState();
  void findLongestPause();
  // Counts the operations issued after the first failure became visible.
  void countAfterFailure();
  // Returns whether the program is blocked until the operation ends.
  bool blocks(const AssembledOperation& op, const v1::Call& call) const;
  // Makes a reference to an operation, with instants of the stream's clock.
  OperationRef refTo(const AssembledOperation& op, const v1::Call& call) const;
  // Returns this rank's side of the pair with `peer`. Creates the pair if it is
  // new.
  PairSide* sideOf(std::uint32_t group, std::uint32_t peer, bool sends);

  JobState& job_;
  const StreamTable& table_;
  const std::uint64_t stride_;
  RankState state_;
  ReachedRule rule_;
  GroupStops stops_;
  LocalFindings local_;
  RankTiming timing_;
  std::vector<std::uint32_t> group_indices_;
  // Maps a catalog index to the first of the stream's groups with that index.
  // Only a damaged trace defines a group twice.
  absl::flat_hash_map<std::uint32_t, std::uint32_t> first_of_group_;
  bool has_twins_ = false;
  std::vector<KnownCall> calls_;
  // Indexed by the stream's group.
  std::vector<Collectives> collectives_;
  std::vector<Message> messages_;
  // The longest collectives that are not sampled, as a min-heap.
  std::vector<LongOne> long_;
  const std::size_t most_long_;
  // Computed on demand.
  std::optional<std::int64_t> last_issue_ns_;
  // Operations for the rank's state, converted to references at the end.
  const AssembledOperation* last_issued_ = nullptr;
  // Indexed by the stream's group.
  std::vector<const AssembledOperation*> last_unseen_;
  const AssembledOperation* last_ended_ = nullptr;
  const AssembledOperation* first_failed_ = nullptr;
};

}  // namespace traced
