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

Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress) {
  InputFiles inputs = findInputFiles(paths);
  TraceSet set =
      indexFiles(inputs.paths, progress).finish(std::move(inputs.warnings));
  if (set.streams.empty()) return nothingReadable(set.input_warnings);
  selectStreams(set);
  if (set.selected.empty()) return nothingReadable(set.selection_warnings);
  return set;
}

}  // namespace traced
