#include "analysis/trace_set.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/index_files.h"
#include "analysis/input_files.h"
#include "analysis/stream_selection.h"

namespace traced {
namespace {

Error nothingReadable(const std::vector<std::string>& warnings) {
  constexpr std::size_t kMaxReasons = 5;
  const std::size_t count = std::min(warnings.size(), kMaxReasons);
  std::string reasons =
      absl::StrJoin(absl::MakeSpan(warnings).subspan(0, count), "; ");
  if (warnings.size() > count) {
    absl::StrAppend(&reasons, "; and ", warnings.size() - count, " more");
  }
  if (reasons.empty()) reasons = "no files";
  return Error{absl::StrCat("nothing readable in the inputs: ", reasons)};
}

}  // namespace

bool comesFirst(const TraceStream& a, const TraceStream& b) {
  if (a.header.rank() != b.header.rank()) {
    return a.header.rank() < b.header.rank();
  }
  const std::int64_t a_ns = a.header.started().realtime_ns();
  const std::int64_t b_ns = b.header.started().realtime_ns();
  return a_ns != b_ns ? a_ns > b_ns
                      : a.header.stream_id() < b.header.stream_id();
}

TraceSet indexTraces(absl::Span<const std::string> paths,
                     const ReadProgress& progress) {
  InputFiles inputs = findInputFiles(paths);
  return indexFiles(inputs.paths, progress).finish(std::move(inputs.warnings));
}

Result<TraceSet> selectRun(TraceSet set) {
  if (set.streams.empty()) return nothingReadable(set.input_warnings);
  selectStreams(set);
  if (set.selected.empty()) return nothingReadable(set.selection_warnings);
  return set;
}

Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress) {
  return selectRun(indexTraces(paths, progress));
}

}  // namespace traced
