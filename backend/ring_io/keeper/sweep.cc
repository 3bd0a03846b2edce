#include "ring_io/keeper/sweep.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "ring_io/keeper/keeper_lock.h"
#include "ring_io/keeper/start_keeper.h"
#include "ring_io/recovery/recover_segments.h"
#include "ring_io/recovery/segment_file.h"
#include "ring_io/support/process_watch.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t kDay = std::time_t{24} * 60 * 60;
constexpr mode_t kMarked = 0400;

// Returns whether any process holds the lock. Does not take it, which would
// exclude others for a moment.
bool isHeld(const std::string& lock) {
  struct stat status;
  return lstat(lock.c_str(), &status) == 0 &&
         lockOwner(status.st_dev, status.st_ino).has_value();
}

bool hasKeeper(const std::string& directory, const SegmentFile& file) {
  const Result<SegmentContent> content = file.describe();
  return content &&
         isHeld(KeeperLock::pathFor(
             directory, jobStartKey(content->trace_path, content->header)));
}

bool isIn(const std::string& folder, const std::string& path) {
  const auto file = SegmentFile::open(path);
  return file && fs::path(file->tracePath()).parent_path() == folder;
}

// Requires the lock of the segment.
void markOrRemove(SegmentFile& file, std::time_t now) {
  struct stat status;
  if (lstat(file.path().c_str(), &status) != 0) return;
  if ((status.st_mode & 0777) != kMarked) {
    chmod(file.path().c_str(), kMarked);
  } else if (now - status.st_ctime > kDay) {
    file.remove();
  }
}

void sweep(const std::string& directory, const std::string& path,
           std::time_t now) {
  const auto is_over = [&](const SegmentFile& file) {
    return file.uid() == geteuid() && !file.isBeingCreated() &&
           !file.isAlive() && !hasKeeper(directory, file);
  };
  auto file = SegmentFile::open(path);
  if (!file || !is_over(*file)) return;
  const auto recovered = recoverSegments({path}, {});
  if (recovered.empty()) return;
  const RecoverOutcome outcome = recovered.front().outcome;
  const bool is_stuck = outcome == RecoverOutcome::kUnreadable ||
                        outcome == RecoverOutcome::kUnwritable;
  if (is_stuck && file->lock() == SegmentFile::Owner::kDead) {
    markOrRemove(*file, now);
  }
}

// Removes the lock file of a keeper that was killed at least a day ago.
void sweepLock(const std::string& path, std::time_t now) {
  struct stat status;
  const bool is_old = lstat(path.c_str(), &status) == 0 &&
                      status.st_uid == geteuid() &&
                      now - status.st_ctime > kDay;
  if (!is_old || isHeld(path)) return;
  KeeperLock lock(path);
  if (lock.owner() == KeeperLock::Owner::kUs) lock.giveUp();
}

std::vector<std::string> locksIn(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("traced.") && name.ends_with(".keeper")) {
      paths.push_back(entry->path().string());
    }
  }
  return paths;
}

}  // namespace

void sweepRings(const std::string& directory, std::chrono::milliseconds time,
                std::time_t now, const std::string& folder) {
  const auto used = [] {
    return std::chrono::nanoseconds(readClock(CLOCK_PROCESS_CPUTIME_ID));
  };
  const auto end = used() + time;
  for (const std::string& path : findSegments({directory})) {
    if (used() <= end || (!folder.empty() && isIn(folder, path)))
      sweep(directory, path, now);
  }
  for (const std::string& path : locksIn(directory)) sweepLock(path, now);
}

}  // namespace traced
