#include "recorder/recover.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "recorder/kill_point.h"
#include "recorder/owner_rights.h"
#include "recorder/process_info.h"
#include "recorder/recovery.h"
#include "recorder/segment_content.h"
#include "recorder/segment_file.h"
#include "recorder/trace_parts.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

bool isSegmentName(const std::string& name) {
  return name.starts_with("traced.") && name.ends_with(".ring");
}

void describe(const SegmentContent& content, RecoveredSegment& result) {
  result.trace = content.trace_path;
  result.job = content.header.job();
  result.host = content.header.host();
  result.pid = content.header.pid();
  result.rank = content.header.rank();
}

// A ring that lies on a disk may have come to it page by page, at any time
// before the machine went down.
bool isOfThisBoot(const v1::Header& header) {
  const std::string here = readHostInfo().boot_id;
  return here.empty() || header.boot_id().empty() || header.boot_id() == here;
}

// The segment's lock is held.
void recoverLocked(const SegmentFile& file, const RecoverOptions& options,
                   RecoveredSegment& result) {
  const std::string bytes = file.read();
  if (wasNeverUsed(bytes)) {
    result.outcome = RecoverOutcome::kDiscarded;
    result.why = "its process died before it recorded anything";
    return;
  }
  const Result<SegmentContent> content = parseSegment(bytes);
  if (!content) {
    result.why = content.error().message;
    return;
  }
  describe(*content, result);
  if (!isOfThisBoot(content->header)) {
    result.why = "it is of another boot or host";
    return;
  }
  Recovery(*content, bytes).run(options.dry_run, result);
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

std::optional<RecoveredSegment> recoverSegment(const std::string& path,
                                               const RecoverOptions& options) {
  const std::unique_ptr<SegmentFile> file = SegmentFile::open(path);
  if (!file || file->isBeingMade()) return std::nullopt;
  if (!options.traces.empty() && !isAmong(file->tracePath(), options.traces)) {
    return std::nullopt;
  }

  RecoveredSegment result;
  result.path = path;
  const SegmentFile::Owner owner = file->lock();
  if (owner == SegmentFile::Owner::kGone) return std::nullopt;
  if (owner == SegmentFile::Owner::kAlive) {
    result.outcome = RecoverOutcome::kLive;
    return result;
  }
  const OwnerRights rights(file->uid(), file->gid());
  if (rights.held()) {
    recoverLocked(*file, options, result);
  } else {
    result.outcome = RecoverOutcome::kUnwritable;
    result.why = "no rights to act as its owner";
  }
  removeIfDone(*file, options, result);
  return result;
}

}  // namespace

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
  for (const std::string& path : paths) {
    if (auto result = recoverSegment(path, options)) {
      results.push_back(std::move(*result));
    }
  }
  return results;
}

}  // namespace traced
