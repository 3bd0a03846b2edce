// Report summarizes the cost of communication per kind of call, rank and group.
// Simulated calls are left out.

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
#include "analysis/report/group_start.h"
#include "analysis/report/small_calls.h"
#include "analysis/time_split/split_totals.h"
#include "analysis/time_split/time_breakdown.h"
#include "trace_io/tensor_summary.h"

namespace traced {

// Keys by which calls are grouped.
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

// Returns the name used on the command line, such as "op" or "group".
std::string nameOf(ReportKey key);
std::vector<std::string> reportKeyNames();
// Returns nullopt for an unknown name.
std::optional<ReportKey> reportKeyNamed(const std::string& name);

// Sums over calls. A duration is left out if one of its ends was not recorded.
struct CallTotals {
  std::uint64_t calls = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  // Sum over calls of the larger of the two.
  std::uint64_t bytes = 0;
  TimeSum host;        // from issue to return
  TimeSum completion;  // from issue to end, without failed calls
  TimeSum wait;        // from the begin to the end of the first wait
  // Calls by how their end is known. The first three are upper bounds, from a
  // wait, a future or the backend's watchdog. Then calls whose end was not
  // recorded and that did not fail; members of coalesced batches, which end
  // together; and failed calls.
  std::uint64_t ends_at_wait = 0;
  std::uint64_t ends_by_future = 0;
  std::uint64_t ends_at_hook = 0;
  std::uint64_t ends_unknown = 0;
  std::uint64_t ends_with_batch = 0;
  std::uint64_t failed = 0;
  // Calls captured into a graph and not executed; they have no end.
  std::uint64_t captured = 0;
  // Calls for which hasUnseenWait() holds, and an upper bound of the time that
  // the program waited for them, valid if no record was lost.
  std::uint64_t waits_unknown = 0;
  std::uint64_t unseen_at_most_ns = 0;
  // Number of enclosing calls, such as broadcast_object_list(). Only in a
  // report by parent.
  std::uint64_t parents = 0;
  // Time in these calls, and the part of it in which one of their operations
  // was under way. If their begin or end is not recorded: from the first
  // operation to the end of the last one.
  std::uint64_t parents_ns = 0;
  std::uint64_t parents_inside_ns = 0;
  // Rank time blocked by calls and waits; see HeldTime.
  std::uint64_t held_ns = 0;
  SplitSums split;
  // What TRACED_VALUES=stats found in the tensors.
  TensorSummary inputs;
  TensorSummary outputs;

  void add(const CallTotals& other);
  // Sets the shares to those of a rank or of all ranks, in which each instant
  // counts once.
  void setTime(const TimeBreakdown& time) {
    held_ns = time.blockedNs();
    unseen_at_most_ns = time.may_wait_ns;
  }
  // Returns the part of `run_ns` in which calls and recorded waits blocked the
  // program, from 0 to 1; 0 if `run_ns` is 0. A lower bound, because unseen
  // waits are not included. `run_ns`: run time of all ranks in the sum.
  double shareOf(std::uint64_t run_ns) const;
  // Returns the share including all unseen waits: an upper bound if no record
  // was lost.
  double mostOf(std::uint64_t run_ns) const;
};

struct ReportRow {
  // One per Report::by.
  std::vector<std::string> keys;
  CallTotals totals;
  // Number of first calls, see FirstCalls. Sums include them; medians, means,
  // percentiles, maxima and bandwidths do not. 0 if the row has no others.
  std::uint64_t left_out = 0;
  TimeSummary host;
  TimeSummary completion;
  TimeSummary wait;
  // Medians over calls of bandwidth over completion time, in 1e9 bytes per
  // second. Absent if no call has one.
  std::optional<double> algbw_gbs;
  std::optional<double> busbw_gbs;
  double share = 0;
  double share_at_most = 0;
  SplitTotals split;
};

struct RankTotals {
  std::uint32_t rank = 0;
  // From the rank's first operation to its last.
  std::uint64_t run_ns = 0;
  CallTotals totals;
  TimeBreakdown time;  // of `run_ns`
  // See RankTime.
  std::optional<std::uint64_t> estimated_wait_ns;
  // Time in calls that create groups. Time in which several threads were in
  // such calls counts once. Absent if rows of such calls may be missing.
  std::optional<std::uint64_t> creating_ns;
  // Number of these calls that failed, and that had not ended.
  std::uint64_t failed_to_create = 0;
  std::uint64_t still_creating = 0;
  // Time in the first call of each group. Absent if records were lost.
  std::optional<std::uint64_t> first_calls_ns;
};

struct Report {
  std::vector<ReportKey> by;
  std::vector<ReportRow> rows;
  std::vector<RankTotals> ranks;
  GroupCatalog groups;
  // Groups that rows and sentences combine, if any.
  std::vector<GroupRoles::Role> roles;
  // One per group of the catalog.
  std::vector<CallTotals> group_totals;
  // One per group of the catalog.
  std::vector<GroupStart> group_starts;
  std::vector<SmallCallSite> small_calls;
  CallTotals all;
  TimeBreakdown time;  // of all ranks
  // The sum over the ranks. Absent if absent for one.
  std::optional<std::uint64_t> estimated_wait_ns;
  // Absent if operations were not split by ready times.
  std::optional<StepPicture> steps;
  RunSummary summary;
  ClockSummary clocks;
  // Operations that were read but excluded by the scope.
  ReportedScope scope = ReportedScope::kAll;
  std::uint64_t out_of_scope = 0;
  // The reported window, and how many operations are outside it.
  RunWindow window;
  std::uint64_t out_of_window = 0;
  // Length of a window of a trend. Windows are consecutive and start when the
  // first rank was ready for any operation.
  std::uint64_t window_ns = 0;
  // Data of the pictures, if requested.
  std::optional<Pictures> pictures;

  bool isBy(ReportKey key) const {
    return std::find(by.begin(), by.end(), key) != by.end();
  }
  // Returns whether mostOf() is an upper bound: nothing was lost.
  bool isBounded() const { return !summary.losses().any(); }
};

// The rank that was most costly as the last one, and the row concerned. A rank
// counts if it was last in at least ten operations of a row, and in at least 60
// % of them. With many ranks, twice its fair share is enough. Among several
// such ranks, the one on which others lost most time is chosen.
struct Latest {
  std::uint32_t rank = 0;
  std::size_t row = 0;  // into Report::rows
  double part = 0;      // 0 to 1
  std::uint64_t behind_p50_ns = 0;
};

// Returns the most costly last rank of all rows, as defined above. Absent if no
// rank was last often enough.
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

// Returns nullopt for an unknown name.
std::optional<ReportOrder> reportOrderNamed(const std::string& name);

// Sorts largest first; kName sorts by the keys. Equal rows are sorted by name.
void sortRows(Report& report, ReportOrder order);

}  // namespace traced
