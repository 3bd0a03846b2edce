#include "cli/recover/keeper.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log_message.h"
#include "ring_io/keeper/start_keeper.h"
#include "ring_io/recovery/recover_segments.h"

namespace traced {
namespace {

using std::chrono::milliseconds;

// Pause between polls. kLongPause applies if every process in use has a
// descriptor that reports its end.
constexpr milliseconds kPause{50};
constexpr milliseconds kLongPause{100};
constexpr milliseconds kPauseWithChildren{5};
constexpr milliseconds kBetweenCounts{1000};
// Deadline for the last line, counted from the end of the last process. The
// line omits everything unknown by then.
constexpr milliseconds kReportWithin{800};
// An abandoned ring whose recording began this long before the keeper belongs
// to an older job.
constexpr std::int64_t kOlderNs = 10'000'000'000;

constexpr char kSaved[] = "saved";
constexpr char kClosed[] = "closed";
constexpr char kBusy[] = "busy";
constexpr char kNotSaved[] = "not saved";
// The ring was removed, and its trace cannot be written.
constexpr char kLost[] = "lost";

// Followed by the number of records missing from the trace.
std::string savedText(const RecoveredSegment& segment) {
  return kSaved + std::to_string(segment.dropped_records);
}

// Saves a ring and returns one of the states above. kLost: the trace cannot be
// written and the ring's name was removed. Safe if another process already
// recovered the ring.
std::string saveRing(SegmentFile& file, const v1::ProcessEnd& end) {
  RecoverOptions options;
  options.process_end = end;
  const RecoveredSegment segment = recoverSegment(file, options);
  if (segment.outcome == RecoverOutcome::kLive) return kBusy;
  if (segment.outcome == RecoverOutcome::kRecovered) {
    return segment.closed ? kClosed : savedText(segment);
  }
  if (segment.outcome == RecoverOutcome::kDiscarded) return kSaved;
  return file.isLinked() ? kNotSaved : kLost;
}

void addRing(JobEnd& job, const KeptRing& ring) {
  job.traces.push_back(ring.tracePath());
  job.ranks.insert(ring.header().rank());
  job.world_size = std::max(job.world_size, ring.header().world_size());
  ++job.streams;
}

}  // namespace

Keeper::Keeper(KeeperOptions options, KeeperLock& lock)
    : options_(std::move(options)),
      lock_(lock),
      began_ns_(readClocks().monotonic_ns),
      ended_at_(Clock::now()),
      log_held_at_(ended_at_) {}

void Keeper::run() {
  for (;;) {
    if (isAsked()) findRings();
    scanRings();
    reapChildren();
    if (in_use_.empty() && saving_.empty()) {
      conclude();
      if (!comesBack()) return;
    } else if (in_use_.empty() && Clock::now() - ended_at_ > kReportWithin) {
      conclude();
    }
    giveUpLog();
    wait();
  }
}

// Polls a timestamp. inotify instances are limited per user.
bool Keeper::isAsked() {
  const std::int64_t before = std::exchange(asked_at_, lock_.lastRequestNs());
  return asked_at_ != before;
}

void Keeper::findRings() {
  std::set<std::string> known;
  for (const std::string& path : findSegments({options_.ring_directory})) {
    if (!known_.contains(path)) {
      auto ring = KeptRing::open(path);
      if (!ring) continue;  // not yet, or never
      if (isOfJob(*ring)) add(std::move(ring));
    }
    known.insert(path);
  }
  known_ = std::move(known);
}

bool Keeper::isOfJob(const KeptRing& ring) const {
  return KeeperLock::pathFor(options_.ring_directory,
                             jobStartKey(ring.tracePath(), ring.header())) ==
         options_.lock;
}

void Keeper::add(std::unique_ptr<KeptRing> ring) {
  if (isOlder(*ring)) return save(std::move(ring), false);
  if (std::exchange(reported_, false)) job_ = {};
  addRing(job_, *ring);
  in_use_.push_back(std::move(ring));
}

bool Keeper::isOlder(const KeptRing& ring) const {
  return ring.state() == KeptRing::State::kLeft &&
         ring.header().started().monotonic_ns() < began_ns_ - kOlderNs;
}

void Keeper::scanRings() {
  const bool had = !in_use_.empty();
  if (Clock::now() - counted_at_ > kBetweenCounts) {
    counted_at_ = Clock::now();
    oom_kills_.poll(counted_at_);
  }
  for (auto ring = in_use_.begin(); ring != in_use_.end();) {
    const KeptRing::State state = (*ring)->state();
    (*ring)->noteEnd(state);
    if (state == KeptRing::State::kInUse) {
      ++ring;
      continue;
    }
    if (state == KeptRing::State::kLeft) save(std::move(*ring), true);
    ring = in_use_.erase(ring);
  }
  if (had && in_use_.empty()) ended_at_ = Clock::now();
}

void Keeper::save(std::unique_ptr<KeptRing> ring, bool counts) {
  v1::ProcessEnd end = ring->processEnd();
  if (end.signal() == SIGKILL) {
    end.set_oom_killed(oom_kills_.claim(Clock::now()));
  }
  SegmentFile& file = ring->file();
  auto child = KeeperChild::start([&file, &end] { return saveRing(file, end); },
                                  file.descriptor());
  if (child) {
    saving_.push_back({*std::move(child), std::move(ring), counts});
  } else if (counts) {
    ++job_.unclosed;
    ++job_.unsaved;
  }
}

void Keeper::reapChildren() {
  for (auto saving = saving_.begin(); saving != saving_.end();) {
    if (!saving->child.hasEnded()) {
      ++saving;
      continue;
    }
    account(std::move(*saving));
    saving = saving_.erase(saving);
  }
}

void Keeper::account(Saving saving) {
  const std::string answer = saving.child.answer();
  if (answer == kBusy) {
    if (saving.counts) in_use_.push_back(std::move(saving.ring));
    return;
  }
  if (!saving.counts || answer == kClosed) return;
  ++job_.unclosed;
  if (answer == kLost) {
    ++job_.lost;
    return;
  }
  if (!answer.starts_with(kSaved)) {
    ++job_.unsaved;
    return;
  }
  std::uint64_t dropped = 0;
  std::from_chars(answer.data() + std::strlen(kSaved),
                  answer.data() + answer.size(), dropped);
  job_.dropped_records += dropped;
}

void Keeper::conclude() {
  if (std::exchange(reported_, true)) return;
  job_.being_saved = saving_.size();
  job_.unclosed += job_.being_saved;
  if (job_.unclosed == 0) return;
  const std::string decided = verdict();
  logMessage(decided.empty() ? plainLine(job_, options_.title) : decided);
}

bool Keeper::isLogHeld() const {
  return std::any_of(in_use_.begin(), in_use_.end(), [this](const auto& ring) {
    const std::optional<pid_t> process = ring->process();
    return process ? log_.isHeldBy(*process) : !ring->processHasEnded();
  });
}

// Releases the log once no process of the job uses it. The job may close its
// stderr and continue, or a ring's holder may outlive the recording process.
void Keeper::giveUpLog() {
  if (isLogHeld()) log_held_at_ = Clock::now();
  const bool is_over = in_use_.empty() && reported_;
  const auto last_use = std::max(log_held_at_, ended_at_);
  if (is_over || Clock::now() - last_use > kReportWithin) log_.release();
}

std::string Keeper::verdict() {
  if (!job_.hasAllRanks() || job_.unsaved > 0 || job_.lost > 0 ||
      job_.being_saved > 0) {
    return "";
  }
  auto child =
      KeeperChild::start([this] { return verdictLine(job_, options_.title); });
  if (!child) return "";
  while (!child->hasEnded()) {
    if (Clock::now() - ended_at_ > kReportWithin) {
      child->kill();
      return "";
    }
    poll(nullptr, 0, static_cast<int>(kPauseWithChildren.count()));
  }
  return child->answer();
}

// Returns true if the keeper must continue. It releases the lock before the
// last search for rings, because a process that just asked did not start its
// own keeper.
bool Keeper::comesBack() {
  lock_.giveUp();
  findRings();
  if (in_use_.empty()) return !saving_.empty();
  return lock_.ask() == KeeperLock::Owner::kUs;
}

void Keeper::wait() const {
  std::vector<pollfd> processes;
  for (const auto& ring : in_use_) {
    if (ring->processFd() >= 0) {
      processes.push_back({ring->processFd(), POLLIN, 0});
    }
  }
  const bool all_pollable = processes.size() == in_use_.size();
  const milliseconds pause = !saving_.empty() ? kPauseWithChildren
                             : all_pollable   ? kLongPause
                                              : kPause;
  poll(processes.data(), processes.size(), static_cast<int>(pause.count()));
}

}  // namespace traced
