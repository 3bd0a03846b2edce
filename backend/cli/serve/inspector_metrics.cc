#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/stream/operation_kinds.h"
#include "cli/export/nccl_functions.h"
#include "cli/serve/live_metrics.h"

namespace traced {
namespace {

// Returns a range such as "25-26MB", in Inspector's format. Units are multiples
// of 1024.
std::string sizeRange(std::uint64_t bytes) {
  if (bytes == 0) return "0B";
  std::uint64_t unit = 1;
  const char* name = "B";
  for (const char* next : {"KB", "MB", "GB", "TB"}) {
    if (bytes < 1024 * unit) break;
    unit *= 1024;
    name = next;
  }
  return absl::StrCat(bytes / unit, "-", bytes / unit + 1, name);
}

// Returns a label of the job, or "unknown" if it is not set.
std::string labelOf(const v1::Header& header, const std::string& name) {
  const auto found = header.labels().find(name);
  return found == header.labels().end() ? "unknown" : found->second;
}

// Returns "1" if all members run on this host.
std::string nodesOf(const WatchedJobs::Job& job, const JobGroup& group) {
  std::uint32_t here = 0;
  for (const WatchedJobs::Rank& rank : job.ranks) {
    here += group.members.contains(rank.stream->table().header.rank());
  }
  return here == group.members.size() ? "1" : "unknown";
}

// Sums over all sizes that share one label.
struct Sums {
  double us = 0;
  double busbw_gbs = 0;
  std::uint64_t calls = 0;
  std::uint64_t with_busbw = 0;
};

void writeSums(bool is_message, const MetricLabels& labels, const Sums& sums,
               MetricFamilies& out) {
  const std::string prefix = is_message ? "nccl_p2p_" : "nccl_";
  if (sums.with_busbw > 0) {
    out.gauge(prefix + "bus_bandwidth_gbs",
              "The mean bus bandwidth of the latest interval", labels,
              sums.busbw_gbs / static_cast<double>(sums.with_busbw));
  }
  out.gauge(prefix + (is_message ? "exec_time_microseconds"
                                 : "collective_exec_time_microseconds"),
            "The mean time of the latest interval", labels,
            sums.us / static_cast<double>(sums.calls));
}

}  // namespace

void addInspectorMetrics(const WatchedJobs::Job& job,
                         const MetricLabels& labels, MetricFamilies& out) {
  const v1::Header& header = job.live.header();
  const GroupCatalog& groups = job.live.groups();
  std::map<std::pair<bool, MetricLabels>, Sums> sums_of;
  for (const auto& [key, size] : job.live.sums().sizes) {
    const auto& [op, group, bytes] = key;
    if (size.interval != job.live.intervals() || size.completion.count == 0) {
      continue;
    }
    const bool is_message = op && isPointToPoint(*op);
    const char* function = op ? inspector::functionOf(*op) : "other";
    if (!function) continue;
    const bool known = group != GroupCatalog::kNone;
    MetricLabels all = labels;
    all.insert(
        all.end(),
        {{"version", TRACED_VERSION},
         {"slurm_job_id", labelOf(header, "slurm_job_id")},
         {"node", header.host()},
         {"gpu", "all"},
         {"comm_name", groups.label(group)},
         {"n_nodes", known ? nodesOf(job, groups.groups()[group]) : "unknown"},
         {"nranks",
          known ? absl::StrCat(groups.groups()[group].members.size()) : "0"},
         {is_message ? "p2p_operation" : "collective", function},
         {"message_size", sizeRange(bytes)}});
    Sums& sums = sums_of[{is_message, std::move(all)}];
    sums.us += static_cast<double>(size.completion.total_ns) / 1e3;
    sums.calls += size.completion.count;
    sums.busbw_gbs += size.busbw_gbs;
    sums.with_busbw += size.with_busbw;
  }
  for (const auto& [key, sums] : sums_of)
    writeSums(key.first, key.second, sums, out);
}

}  // namespace traced
