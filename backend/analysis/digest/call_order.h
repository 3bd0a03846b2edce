// In which order a stream called its collectives, in few bytes: enough to see
// that two ranks differ, and where, but not how.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/stream_table.h"
#include "traced/v1/digest.pb.h"

namespace traced {

// `groups`: indices of the stream's groups in a catalog.
void addOrder(const StreamTable& table, absl::Span<const std::uint32_t> groups,
              v1::StreamDigest& digest);

// Holds the orders of the streams of a run against each other.
class CallOrders {
 public:
  // `table`: of the digest's own definitions; `groups`: of its groups, their
  // indices in the run's catalog.
  void add(const v1::StreamDigest& digest, const StreamTable& table,
           absl::Span<const std::uint32_t> groups);

  // A sentence for each group of which ranks called different operations under
  // one number, about the first block in which they did.
  std::vector<std::string> differences(const GroupCatalog& catalog) const;

 private:
  struct Block {
    std::uint32_t count = 0;
    std::uint64_t hash = 0;
    std::uint32_t rank = 0;
    // Of one that differs.
    std::uint32_t other_rank = 0;
    bool differs = false;
  };

  // By group and number.
  std::map<std::pair<std::uint32_t, std::uint64_t>, Block> blocks_;
};

}  // namespace traced
