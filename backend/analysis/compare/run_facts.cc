#include "analysis/compare/run_facts.h"

#include "absl/strings/str_join.h"
#include "analysis/stream/process_end.h"

namespace traced {
namespace {

// Maximum number of distinct values kept per fact.
constexpr std::size_t kMaxValues = 8;

}  // namespace

void RunFacts::add(const StreamTable& table, const v1::Header& header) {
  values_["host"].insert(header.host());
  values_["torch"].insert(header.torch_version());
  values_["python"].insert(header.python_version());
  values_["traced"].insert(header.traced_version());
  for (const auto& [library, version] : header.library_versions()) {
    values_[library].insert(version);
  }
  for (const GroupDefinition& group : table.definitions.groups()) {
    values_["backend"].insert(group.backend);
  }
  stream_ids_.push_back(header.stream_id());
  job_ = header.job();
  const std::int64_t started = header.started().realtime_ns();
  if (started_realtime_ns_ == 0 || started < started_realtime_ns_) {
    started_realtime_ns_ = started;
  }
  const ProcessEnd end = processEndOf(table);
  if (end.failed()) {
    ends_.emplace_back(BrokenOff{header.rank(), end});
  } else if (!table.closed && table.accounts.recovered()) {
    ends_.emplace_back(BrokenOff{header.rank(), std::nullopt});
  }
}

void RunFacts::finish(RunFigures& figures) const {
  for (const auto& [name, values] : values_) {
    std::vector<std::string> shown;
    for (const std::string& value : values) {
      if (value.empty() || shown.size() == kMaxValues) continue;
      shown.push_back(value);
    }
    if (!shown.empty()) figures.facts[name] = absl::StrJoin(shown, ", ");
  }
  figures.stream_ids = stream_ids_;
  figures.job = job_;
  figures.started_realtime_ns = started_realtime_ns_;
  figures.gaps.insert(figures.gaps.end(), ends_.begin(), ends_.end());
}

}  // namespace traced
