// Report adds up what communication cost, per kind of call, rank and group.
// Simulated calls are left out of it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/clock_summary.h"
#include "analysis/figures/samples.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/run_filters.h"
#include "analysis/job/run_summary.h"
#include "analysis/pictures/pictures.h"
#include "analysis/time_split/split_totals.h"

namespace traced {

// What calls are grouped by.
enum class ReportKey {
  kOp,
  kGroup,
  kDtype,
  kSize,
  kShape,
  kRank,
  kStep,
  kAnnotation,
  kModule,
  kPhase,
  kParent,
  kSite,
  kPeer,
  kAlgorithm,
  kProtocol,
};

// As on the command line: "op", "group", and so on.
std::string nameOf(ReportKey key);
std::vector<std::string> reportKeyNames();
std::optional<ReportKey> reportKeyNamed(const std::string& name);

// Sums over calls. An instant that was not observed adds nothing.
struct CallTotals {
  std::uint64_t calls = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  // The larger of the two of each call.
  std::uint64_t bytes = 0;
  TimeSum host;        // from issue to return
  TimeSum completion;  // from issue to end, of calls that did not fail
  TimeSum wait;        // from the begin to the end of the first wait
  // Calls whose end only a wait, a future or the backend's watchdog showed,
  // late bounds; those whose end was not observed and did not fail; members of
  // coalesced batches, which end as a whole, without an end of their own; those
  // that failed.
  std::uint64_t ends_at_wait = 0;
  std::uint64_t ends_by_future = 0;
  std::uint64_t ends_at_hook = 0;
  std::uint64_t ends_unknown = 0;
  std::uint64_t ends_with_batch = 0;
  std::uint64_t failed = 0;
  // Calls that were put into a graph and not carried out; they have no end.
  std::uint64_t captured = 0;
  // Calls that had not ended when they returned, and of which no wait was seen:
  // the program may have waited in a way that shows none, as through a future.
  // And how long it waited for all of them at most, if no record was lost.
  std::uint64_t waits_unknown = 0;
  std::uint64_t unseen_at_most_ns = 0;
  // Calls of which the operations are part, as of broadcast_object_list(): only
  // of a report by parent.
  std::uint64_t parents = 0;
  // The rank time that calls and waits held up; see HeldTime.
  std::uint64_t held_call_ns = 0;
  std::uint64_t held_wait_ns = 0;
  SplitSums split;

  void add(const CallTotals& other);
  // Held time as a part of `run_ns`, 0 when that is 0. It is at least
  // that: waits that were not seen come on top.
  double shareOf(std::uint64_t run_ns) const;
  // With all of these, if no record was lost.
  double mostOf(std::uint64_t run_ns) const;
};

// Rank time in which an operation was in a state, whether the program waited
// for it or not. An instant of a rank counts once.
struct StateTimes {
  // Waiting for peers: at least, as clocks have it, and at most.
  std::uint64_t waiting_low_ns = 0;
  std::uint64_t waiting_ns = 0;
  std::uint64_t waiting_high_ns = 0;
  std::uint64_t transfer_ns = 0;
  // A caller, or the device, was held up by it.
  std::uint64_t exposed_ns = 0;

  void add(const StateTimes& other);
  std::uint64_t waitUncertainNs() const;
  // Else it is only known to be between its bounds.
  bool isWaitSurelyNotZero() const { return waiting_ns >= waitUncertainNs(); }
};

struct ReportRow {
  // One per Report::by.
  std::vector<std::string> keys;
  CallTotals totals;
  TimeSummary host;
  TimeSummary completion;
  TimeSummary wait;
  // Medians over calls, over completion time, in 1e9 bytes per second. Absent
  // when no call has one.
  std::optional<double> algbw_gbs;
  std::optional<double> busbw_gbs;
  double share = 0;
  double share_at_most = 0;
  SplitTotals split;
};

struct RankTotals {
  std::uint32_t rank = 0;
  // From its first operation to its last.
  std::uint64_t run_ns = 0;
  CallTotals totals;
  StateTimes states;
};

struct Report {
  std::vector<ReportKey> by;
  std::vector<ReportRow> rows;
  std::vector<RankTotals> ranks;
  GroupCatalog groups;
  // Groups that rows and sentences take together, if any.
  std::vector<GroupRoles::Role> roles;
  // One per group of the catalog.
  std::vector<CallTotals> group_totals;
  CallTotals all;
  StateTimes all_states;
  RunSummary summary;
  ClockSummary clocks;
  // Operations that were read and are in none of the above, as the scope says.
  ReportedScope scope = ReportedScope::kAll;
  std::uint64_t out_of_scope = 0;
  // What it is about, and how many operations are outside of that.
  RunWindow window;
  std::uint64_t out_of_window = 0;
  // How long after the first rank arrived anywhere the windows of a trend
  // begin: that many times the window's number.
  std::uint64_t window_ns = 0;
  // What pictures show, where that was asked for.
  std::optional<Pictures> pictures;

  bool isBy(ReportKey key) const {
    return std::find(by.begin(), by.end(), key) != by.end();
  }
  // Whether shares are at most what mostOf() says: nothing was lost.
  bool isBounded() const { return !summary.losses().any(); }
};

// The rank that was last most often, and in what. Absent where none stands out:
// a rank counts if it was last in at least ten operations of a row, in at least
// 60 % of them or, of many ranks, twice its share, and is the
// one that others lost most time to.
struct Latest {
  std::uint32_t rank = 0;
  std::size_t row = 0;  // into Report::rows
  double part = 0;      // 0 to 1
  std::uint64_t behind_p50_ns = 0;
};

std::optional<Latest> latestOf(const Report& report);

enum class ReportOrder {
  kShare,
  kCalls,
  kBytes,
  kHost,
  kCompletion,
  kWait,
  kName,
};

std::optional<ReportOrder> reportOrderNamed(const std::string& name);

// Largest first; kName by the keys. Rows that are equal are sorted by name.
void sortRows(Report& report, ReportOrder order);

}  // namespace traced
