// ReportBuilder makes a Report from streams that are shown to it one by one.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/report.h"
#include "analysis/stream_table.h"

namespace traced {

// Not thread safe. Memory: up to 40 bytes per operation, whatever the ranks.
class ReportBuilder {
 public:
  explicit ReportBuilder(std::vector<ReportKey> by);

  // Streams are added in the order of their ranks.
  void add(const StreamTable& table);

  // Rows are in no particular order; see sortRows().
  Report finish() &&;

 private:
  struct Samples {
    std::vector<std::uint64_t> host_ns;
    std::vector<std::uint64_t> completion_ns;
    std::vector<std::uint64_t> wait_ns;
    std::vector<double> algbw_gbs;
    std::vector<double> busbw_gbs;
  };
  // What all operations of one call of one stream have in common.
  struct Plan {
    std::uint32_t row = 0;
    std::uint32_t group = GroupCatalog::kNone;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    double message_bytes = 0;
    double bus_factor = -1;  // negative: no bandwidth
  };

  Plan plan(const StreamTable& table, const v1::Call* call,
            const std::vector<std::uint32_t>& group_indices);
  std::uint32_t rowFor(std::vector<std::string> keys);
  std::string keyText(ReportKey key, const StreamTable& table,
                      const v1::Call* call, std::uint32_t group);
  void addOperation(const AssembledOperation& op, const Plan& plan,
                    CallTotals& rank);
  void addBandwidth(std::uint64_t completion_ns, const Plan& plan);

  Report report_;
  std::vector<Samples> samples_;  // one per report_.rows
  absl::flat_hash_map<std::vector<std::string>, std::uint32_t> row_by_keys_;
};

}  // namespace traced
