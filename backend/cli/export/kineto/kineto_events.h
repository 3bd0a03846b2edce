// The events of one rank: its operations, its calls and its steps.

#pragma once

#include <cstdint>
#include <functional>

#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"
#include "cli/common/json.h"

namespace traced::kineto {

class Events {
 public:
  Events(const JobView& view, std::uint32_t stream)
      : view_(view),
        stream_(stream),
        table_(view.run().streams[stream].table) {}

  // What the file says of its rank, but for the rank itself.
  Json distributedInfo() const;
  // Calls visit(Json) with each.
  void forEach(const RankTimeline& line,
               const std::function<void(const Json&)>& visit);
  // Operations without an end, which a complete event cannot show.
  std::uint64_t withoutEnd() const { return without_end_; }

 private:
  Json kernelOf(const OperationSlice& slice) const;
  Json callOf(const OperationSlice& slice) const;
  Json argsOf(const OperationSlice& slice) const;
  Json event(const char* category, const std::string& name,
             std::int64_t begin_ns, std::int64_t end_ns,
             std::uint64_t thread) const;
  std::uint64_t threadOf(const AssembledOperation& op) const;

  const JobView& view_;
  const std::uint32_t stream_;
  const StreamTable& table_;
  std::uint64_t without_end_ = 0;
};

}  // namespace traced::kineto
