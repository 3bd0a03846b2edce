// What is said of an operation of one rank: its name, and what a click shows.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/slices.h"
#include "analysis/view/job_view.h"
#include "cli/export/perfetto/sequence.h"

namespace traced::perfetto {

struct RowFacts;

class OperationWords {
 public:
  OperationWords(const JobView& view, std::uint32_t stream)
      : view_(view),
        stream_(stream),
        table_(view.run().streams[stream].table) {}

  std::string groupName(std::uint32_t group) const;
  std::string groupDescription(std::uint32_t group) const;

  // "all_reduce 4 MiB", and what is out of the ordinary.
  std::uint64_t name(Sequence& to, const OperationSlice& slice);
  void annotate(Sequence& to, const OperationSlice& slice,
                const RowFacts& facts) const;
  std::uint64_t bytesOf(const OperationSlice& slice) const;
  bool sends(const OperationSlice& slice) const;

 private:
  const AssembledOperation& operationOf(const OperationSlice& slice) const {
    return table_.operations[slice.cell.operation];
  }

  const JobView& view_;
  const std::uint32_t stream_;
  const StreamTable& table_;
  // Of calls that were named, by their index and how they ended; 0: not yet.
  std::vector<std::uint64_t> names_;
};

}  // namespace traced::perfetto
