// HangWatch follows unfinished operations and reports those that exceed the
// time limit: hanging, undecided, or late. Owned by the writer thread, which
// reads every record anyway.
//
// docs/reference/diagnosis.md defines which ends can be observed. A missing end
// that no record could show is not a hang.

#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/chunks/operation_summary.h"
#include "ring_io/ring/record.h"
#include "ring_io/ring/ring.h"
#include "trace_io/operation_progress.h"

namespace traced {

struct HangReport : OperationSummary {
  enum class State : std::uint8_t {
    // It has not ended: a record would show its end.
    kUnfinished,
    // Only a wait shows its end, and its thread has been silent since.
    kUndecided,
    // It ended after the limit.
    kLate,
  };

  State state{};
  // Time until now, or until its end.
  std::int64_t took_ns = 0;
};

// Returns the name of a state for messages.
const char* nameOf(HangReport::State state) noexcept;

class HangWatch {
 public:
  // `known` resolves the ids in records. It must outlive the watch.
  explicit HangWatch(const ChunkBuilder& known) : known_(known) {}

  // Sets the time limit of an operation. 0 disables the watch: later operations
  // are not followed, and those followed so far are no longer reported.
  void setLimit(std::int64_t limit_ns);

  // Updates an operation from a record whose definitions are in `known`. While
  // the watch is disabled, only the retirement of groups has an effect. May
  // throw std::bad_alloc.
  void update(const Ring::Record& record);

  // Notes that records are missing. Operations without an end may have ended,
  // so unfinished ones are not reported.
  void addLoss();

  // Returns the operations that newly exceeded the limit, and those that ended
  // late. Of a group's unfinished and undecided ones it reports only the first
  // of each kind, because the others hang as a consequence.
  std::vector<HangReport> take(std::int64_t now_ns);

  // Returns the number of tracked combinations of group and mode.
  std::size_t trackedModes() const { return modes_.size(); }

 private:
  // Maximum number of followed operations.
  static constexpr std::size_t kMaxFollowed = 65536;
  static constexpr std::size_t kMaxLate = 64;
  // Maximum number of followed calls while it is unknown whether their ends are
  // reported. The remaining capacity is reserved for calls with reported ends.
  static constexpr std::size_t kMaxUnshown = kMaxFollowed / 2;

  // The calls of one group and mode.
  struct ModeCalls {
    ModeCalls(std::uint64_t its_key, CallMode how) : key(its_key), calls(how) {}

    std::uint64_t key;
    ReportedCalls calls;
    bool is_retired = false;
    // Number of followed operations.
    std::size_t followed = 0;
  };
  struct Followed : OperationProgress {
    CallFacts call;
    std::uint32_t thread = 0;
    EndShownBy shown{};
    // Set for EndShownBy::kReports, otherwise nullptr.
    ModeCalls* mode = nullptr;
    // The caller waits for it on the host.
    bool waits_at_once = false;
    bool reported = false;
    // Omitted as a consequence of another hang. It is not reported as late
    // either.
    bool passed_over = false;
  };
  using Entry = std::map<OpId, Followed>::iterator;

  void add(const IssueRow& row);
  template <ProgressRow Row>
  void add(const Row& row);
  template <typename Row>
  void add(const Row&) {}
  // Forgets a destroyed group once none of its operations is followed.
  void retired(std::uint32_t group);
  ModeCalls* modeOf(const v1::Call& call);
  // Stops following an operation. Returns the next entry.
  Entry forget(Entry entry);
  static InFlight inFlight(const Followed& op);
  // Returns whether to wait for a report of its end.
  bool hasRoomFor(const Followed& op) const;
  // Queues a report if the operation ended after the limit.
  void noteLate(const Followed& op);
  // Returns whether the thread of `op` has no event after `since_ns`.
  bool threadIsSilent(const Followed& op, std::int64_t since_ns) const;
  HangReport reportOf(const Followed& op, HangReport::State state,
                      std::int64_t took_ns) const;

  const ChunkBuilder& known_;
  std::int64_t limit_ns_ = 0;
  // By issue order.
  std::map<OpId, Followed> under_way_;
  // Operations that ended too late, since the last take().
  std::vector<HangReport> late_;
  std::unordered_map<std::uint64_t, ModeCalls> modes_;
  // Time when a thread last issued an operation or ended a wait.
  std::unordered_map<std::uint32_t, std::int64_t> last_ns_;
};

}  // namespace traced
