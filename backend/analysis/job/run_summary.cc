#include "analysis/job/run_summary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace traced {

void RunSummary::add(const StreamTable& table, std::uint64_t operations) {
  const v1::Header& header = table.header;
  ranks_.push_back(header.rank());
  world_size_ = std::max(world_size_, header.world_size());
  from_dumps_ |= table.snapshot;
  if (!table.snapshot) {
    hosts_.insert(header.host());
    torch_versions_.insert(header.torch_version());
  }
  for (const GroupDefinition& group : table.definitions.groups()) {
    if (!group.backend.empty()) backends_.insert(group.backend);
  }
  operations_ += operations - table.simulated;
  simulated_ += table.simulated;
  addPauses(table);
  if (const std::uint64_t left_out = table.accounts.left_out()) {
    left_out_.operations += left_out;
    left_out_.ranks.push_back(header.rank());
  }
  addDeviceTimes(table);
  if (table.from_ring_ns) {
    from_rings_.push_back(
        {header.rank(), *table.from_ring_ns, table.stillRunning()});
  }
  longest_run_ns_ = std::max(longest_run_ns_, table.runNs());
  longest_rank_time_ns_ = std::max(longest_rank_time_ns_, table.rankTimeNs());
  rank_time_ns_ += table.rankTimeNs();
  const Instant started(table.header.started().monotonic_ns());
  longest_start_up_ns_ =
      std::max(longest_start_up_ns_,
               between(started, table.first_operation).value_or(0));
  longest_tear_down_ns_ =
      std::max(longest_tear_down_ns_,
               between(table.last_operation, table.last).value_or(0));
  losses_.add(table);
}

void RunSummary::addPauses(const StreamTable& table) {
  const std::uint64_t count = table.marks.pauses().size();
  if (count == 0) return;
  const std::uint64_t ns = table.marks.pausedNs();
  pauses_.ranks.push_back(table.header.rank());
  pauses_.count += count;
  pauses_.total_ns += ns;
  pauses_.most_count = std::max(pauses_.most_count, count);
  pauses_.most_ns = std::max(pauses_.most_ns, ns);
}

void RunSummary::addDeviceTimes(const StreamTable& table) {
  const Marks::DeviceTimes& own = table.marks.deviceTimes();
  if (own.error_ns) {
    device_times_.error_ns =
        std::max(device_times_.error_ns.value_or(0), *own.error_ns);
  }
  if (own.untimed == 0) return;
  device_times_.untimed += own.untimed;
  device_times_.ranks.push_back(table.header.rank());
  if (own.untimed <= device_times_.most) return;
  device_times_.most = own.untimed;
  device_times_.most_rank = table.header.rank();
  const std::string* text = table.definitions.text(own.text);
  device_times_.why = own.text && text ? *text : "";
}

std::string RunSummary::absentRanks() const {
  std::string text;
  // Visits only the gaps, because a world size is merely a claim of the file.
  const auto addGap = [&text](std::uint64_t first, std::uint64_t end) {
    if (first >= end) return;
    absl::StrAppend(&text, text.empty() ? "" : ",", first);
    if (end - first > 1) absl::StrAppend(&text, "-", end - 1);
  };
  std::uint64_t next = 0;
  for (const std::uint32_t rank : ranks_) {
    addGap(next, rank);
    next = std::uint64_t{rank} + 1;
  }
  addGap(next, world_size_);
  return text;
}

std::uint64_t unusableBytes(const TraceSet& set, const RunSummary& summary) {
  return set.unusable_bytes + summary.losses().refusedBytes();
}

}  // namespace traced
