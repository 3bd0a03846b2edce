#include "ring_io/recovery/recover_segments.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "ring_io/recovery/owner_rights.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/segment_file.h"
#include "ring_io/recovery/stream_recovery.h"
#include "ring_io/recovery/written_stream.h"
#include "ring_io/settings/process_info.h"
#include "ring_io/sinks/trace_parts.h"
#include "ring_io/support/kill_point.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

bool isSegmentName(const std::string& name) {
  return name.starts_with("traced.") && name.ends_with(".ring");
}

void describe(const SegmentContent& content, const std::string& trace,
              RecoveredSegment& result) {
  result.trace = trace;
  result.job = content.header.job();
  result.host = content.header.host();
  result.pid = content.header.pid();
  result.rank = content.header.rank();
}

// Returns whether the ring is of this boot. A ring on a disk may have been
// written back page by page before the machine crashed, so an older one is
// unreliable.
bool isOfThisBoot(const v1::Header& header) {
  const std::string here = readHostInfo().boot_id;
  return here.empty() || header.boot_id().empty() || header.boot_id() == here;
}

// Finds the current paths of the wanted traces. Searches once, and only if a
// segment's own path does not match.
class TraceFinder {
 public:
  explicit TraceFinder(const std::vector<std::string>& traces)
      : traces_(traces) {}

  // Returns part 0 of a stream, or "" if no wanted file belongs to it.
  std::string of(std::uint64_t stream_id) {
    if (!found_) found_ = tracePaths(traces_);
    const auto found = found_->find(stream_id);
    return found == found_->end() ? "" : found->second;
  }

 private:
  const std::vector<std::string>& traces_;
  std::optional<std::map<std::uint64_t, std::string>> found_;
};

bool holds(const std::string& trace, std::uint64_t stream_id) {
  return !trace.empty() && WrittenStream::open(trace, stream_id);
}

// Returns the reason why the records must not be appended to `trace`, or "" if
// they may.
std::string whyNotInto(const std::string& trace,
                       const SegmentContent& content) {
  if (trace.empty()) {
    return "the path of its trace was too long to be kept: name the trace to "
           "have it recovered";
  }
  // Records appended to a copy would be missing in the original trace.
  const std::string& named = content.trace_path;
  const bool is_copy = trace != named &&
                       holds(named, content.header.stream_id()) &&
                       !isSameFile(trace, named);
  return is_copy ? "what was named is a copy of its trace, " + named : "";
}

// Recovers a segment. Requires its lock. `trace_path` is the path where its
// trace was found; "" uses the path in the segment.
void recoverLocked(const SegmentFile& file, const std::string& trace_path,
                   const RecoverOptions& options, RecoveredSegment& result) {
  result.why = file.whyRefused();
  if (!result.why.empty()) return;
  const SegmentCopy copy = file.read();
  const std::string_view bytes = copy.bytes();
  if (bytes.find_first_not_of('\0') == std::string_view::npos) {
    result.outcome = RecoverOutcome::kDiscarded;
    result.why =
        "it is empty: its process died while making it, or something else "
        "emptied it";
    return;
  }
  if (isUnfinished(bytes)) {
    result.outcome = RecoverOutcome::kDiscarded;
    result.why = bytes.empty()
                     ? "it is empty: its process died before it recorded "
                       "anything, or somebody cut it short"
                     : "its process died before it recorded anything";
    return;
  }
  const Result<SegmentContent> content = parseSegment(bytes);
  if (!content) {
    result.why = content.error().message;
    return;
  }
  const std::string& trace =
      trace_path.empty() ? content->trace_path : trace_path;
  describe(*content, trace, result);
  if (!isOfThisBoot(content->header)) {
    result.why = "it is of another boot or host";
    return;
  }
  result.why = whyNotInto(trace, *content);
  if (result.why.empty()) {
    StreamRecovery(*content, bytes).run(trace, options, result);
  } else {
    result.outcome = RecoverOutcome::kUnwritable;
  }
}

void removeIfDone(SegmentFile& file, const RecoverOptions& options,
                  RecoveredSegment& result) {
  const bool done = result.outcome == RecoverOutcome::kRecovered ||
                    result.outcome == RecoverOutcome::kDiscarded;
  if (options.dry_run || !(done || options.discard)) return;
  if (!done) result.outcome = RecoverOutcome::kDiscarded;
  TRACED_KILL_POINT("recovery done");
  if (!file.remove()) {
    result.outcome = RecoverOutcome::kUnwritable;
    result.why = "the segment cannot be removed";
  }
}

// `owner` is the result of lock(). For `trace_path` see recoverLocked().
RecoveredSegment recoverWithOwner(SegmentFile& file, SegmentFile::Owner owner,
                                  const std::string& trace_path,
                                  const RecoverOptions& options) {
  RecoveredSegment result;
  result.path = file.path();
  if (owner == SegmentFile::Owner::kAlive) {
    result.outcome = RecoverOutcome::kLive;
    return result;
  }
  const OwnerRights rights(file.uid(), file.gid());
  if (rights.held()) {
    recoverLocked(file, trace_path, options, result);
  } else {
    result.outcome = RecoverOutcome::kUnwritable;
    result.why = "no rights to act as its owner";
  }
  if (owner == SegmentFile::Owner::kDead) removeIfDone(file, options, result);
  return result;
}

std::optional<RecoveredSegment> recoverSegment(const std::string& path,
                                               const RecoverOptions& options,
                                               TraceFinder& finder) {
  const std::unique_ptr<SegmentFile> file = SegmentFile::open(path);
  if (!file || file->isBeingCreated()) return std::nullopt;
  std::string trace_path;
  if (!options.traces.empty() && !isAmong(file->tracePath(), options.traces)) {
    trace_path = finder.of(file->streamId());
    if (trace_path.empty()) return std::nullopt;
  }

  const SegmentFile::Owner owner = file->lock();
  if (owner == SegmentFile::Owner::kGone) return std::nullopt;
  return recoverWithOwner(*file, owner, trace_path, options);
}

}  // namespace

RecoveredSegment recoverSegment(SegmentFile& file,
                                const RecoverOptions& options) {
  return recoverWithOwner(file, file.lock(), "", options);
}

std::vector<std::string> findSegments(
    const std::vector<std::string>& directories) {
  std::vector<std::string> paths;
  for (const std::string& directory : directories) {
    std::error_code error;
    fs::directory_iterator entry(directory, error);
    for (; !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (!isSegmentName(entry->path().filename().string())) continue;
      const auto file = SegmentFile::open(entry->path().string());
      if (file && (geteuid() == 0 || file->uid() == geteuid())) {
        paths.push_back(file->path());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::vector<RecoveredSegment> recoverSegments(
    const std::vector<std::string>& paths, const RecoverOptions& options) {
  std::vector<RecoveredSegment> results;
  TraceFinder finder(options.traces);
  for (const std::string& path : paths) {
    if (auto result = recoverSegment(path, options, finder)) {
      results.push_back(std::move(*result));
    }
  }
  return results;
}

}  // namespace traced
