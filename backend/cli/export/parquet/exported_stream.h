// What a stream gives to the tables: its operations, one after the other.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/report/run_arrivals.h"
#include "cli/export/parquet/exported_operation.h"
#include "cli/export/parquet/group_places.h"

namespace traced {

class StreamExporter {
 public:
  // `run` must outlive it.
  explicit StreamExporter(const RunArrivals& run)
      : run_(run), places_(run.groups) {}

  // Of the stream of the set with that index.
  void forEach(std::size_t stream, const StreamTable& table,
               const std::function<void(const ExportedOperation&)>& visit);

 private:
  // As groupHashes() has them: those of a group are found once for all ranks.
  std::vector<std::uint64_t> hashesOf(const StreamTable& table,
                                      const std::vector<std::uint32_t>& groups);

  const RunArrivals& run_;
  GroupPlaces places_;
  absl::flat_hash_map<std::uint32_t, std::uint64_t> hash_of_group_;
};

}  // namespace traced
