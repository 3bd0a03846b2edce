// HangWatch follows the operations under way and tells of those that take
// longer than they may: what hangs, what cannot be told, and what was late.
// Owned by the writer thread, which sees every record anyway.
//
// What can be known of an end is the rule of docs/reference/diagnosis.md: an
// end that nobody could observe is no hang.

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
    // It has not ended, and its end would have been seen.
    kUnfinished,
    // Its end shows only in a wait, and its thread has been silent since.
    kUndecided,
    // It has ended by now.
    kLate,
  };

  State state{};
  // Until now, or until it ended.
  std::int64_t took_ns = 0;
};

const char* nameOf(HangReport::State state) noexcept;

class HangWatch {
 public:
  // `known` knows what the records name; it outlives the watch.
  explicit HangWatch(const ChunkBuilder& known) : known_(known) {}

  // How long an operation may take; 0: any time, and none is followed.
  void setLimit(std::int64_t limit_ns);

  // Follows an operation, by a record that the definitions have seen.
  void see(const Ring::Record& record);

  // Some records so far are missing: an operation without an end may have
  // ended, so nothing is reported of those under way.
  void addLoss();

  // What takes, or took, too long and was not told yet. Behind an operation
  // that hangs others of its group are a consequence: of each group the first
  // is told.
  std::vector<HangReport> take(std::int64_t now_ns);

  // Of how many kinds of calls it knows, or may come to know, what shows ends.
  std::size_t manners() const { return manners_.size(); }

 private:
  // More are not followed.
  static constexpr std::size_t kMaxFollowed = 65536;
  static constexpr std::size_t kMaxLate = 64;
  // Maximum of all calls while it is unknown whether ends are reported: it
  // leaves room for calls whose ends are.
  static constexpr std::size_t kMaxUnshown = kMaxFollowed / 2;

  // The calls of one group whose ends are reported in one way.
  struct Manner {
    Manner(std::uint64_t its_key, CallMode how) : key(its_key), calls(how) {}

    std::uint64_t key;
    ReportedCalls calls;
    bool is_retired = false;
    // How many are followed.
    std::size_t followed = 0;
  };
  struct Followed : OperationProgress {
    CallFacts call;
    std::uint32_t thread = 0;
    EndShownBy shown{};
    // For EndShownBy::kReports; else nullptr.
    Manner* manner = nullptr;
    // The caller waits for it on the host.
    bool waits_at_once = false;
    bool told = false;
    // As a consequence: it is not told late either.
    bool passed_over = false;
  };
  using Entry = std::map<OpId, Followed>::iterator;

  void add(const IssueRow& row);
  template <ProgressRow Row>
  void add(const Row& row);
  template <typename Row>
  void add(const Row&) {}
  void retired(std::uint32_t group);
  Manner* modeOf(const v1::Call& call);
  // What is known of it is followed no more. Returns the one behind it.
  Entry forget(Entry entry);
  static InFlight inFlight(const Followed& op);
  // Whether it is worth to wait for a report of its end.
  bool hasRoomFor(const Followed& op) const;
  void noteLate(const Followed& op);
  bool threadIsSilent(const Followed& op, std::int64_t since_ns) const;
  HangReport reportOf(const Followed& op, HangReport::State state,
                      std::int64_t took_ns) const;

  const ChunkBuilder& known_;
  std::int64_t limit_ns_ = 0;
  // By issue.
  std::map<OpId, Followed> under_way_;
  // Those that ended too late, since the last take().
  std::vector<HangReport> late_;
  std::unordered_map<std::uint64_t, Manner> manners_;
  // When a thread last did something.
  std::unordered_map<std::uint32_t, std::int64_t> last_ns_;
};

}  // namespace traced
