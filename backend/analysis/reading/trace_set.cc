#include "analysis/reading/trace_set.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/reading/index_files.h"
#include "analysis/reading/input_files.h"
#include "analysis/reading/run_choice.h"
#include "analysis/reading/settle_attempts.h"
#include "analysis/reading/stream_selection.h"

namespace traced {
namespace {

// Nobody wants to know of each file in a wrong folder what it is not.
bool holdsNoTraces(const std::vector<std::string>& warnings) {
  return std::all_of(warnings.begin(), warnings.end(),
                     [](const std::string& warning) {
                       return absl::EndsWith(warning, ": not a trace") ||
                              (absl::EndsWith(warning, ": empty") &&
                               !absl::EndsWith(warning, ".traced: empty"));
                     });
}

Error nothingReadable(absl::Span<const std::string> paths,
                      const std::vector<std::string>& warnings) {
  std::error_code none;
  const bool one_folder =
      paths.size() == 1 && std::filesystem::is_directory(paths[0], none);
  if (one_folder && holdsNoTraces(warnings)) {
    return Error{absl::StrCat("no traces below ", paths[0])};
  }
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

v1::Header wholeHeader(const TraceStream& stream) {
  v1::Header header = stream.header;
  v1::Header maps;
  if (maps.ParseFromString(stream.header_maps)) header.MergeFrom(maps);
  return header;
}

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

Result<TraceSet> selectRun(TraceSet set, absl::Span<const std::string> paths,
                           const RunChoice& choice) {
  if (set.streams.empty()) return nothingReadable(paths, set.input_warnings);
  settleAttempts(set);
  Result<TraceSet> chosen = chooseRun(std::move(set), choice);
  if (!chosen) return chosen;
  selectStreams(*chosen);
  if (chosen->selected.empty()) {
    return nothingReadable(paths, chosen->selection_warnings);
  }
  return chosen;
}

Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress) {
  return openTraceSet(paths, progress, {});
}

Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress,
                              const RunChoice& choice) {
  return selectRun(indexTraces(paths, progress), paths, choice);
}

}  // namespace traced
