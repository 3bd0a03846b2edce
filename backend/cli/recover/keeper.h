// Keeper outlives the processes of a job and saves their remaining records.
// docs/use/keeper.md describes its behaviour.
//
// It has one thread, which mostly waits. Child processes read rings and write
// traces, because that may hang or crash.

#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cli/recover/job_log.h"
#include "cli/recover/keeper_child.h"
#include "ring_io/keeper/keeper_lock.h"
#include "ring_io/keeper/kept_ring.h"
#include "ring_io/keeper/oom_kills.h"

namespace traced {

struct KeeperOptions {
  std::string ring_directory;
  // Path of the lock, which identifies the start of the job (start_keeper.h).
  std::string lock;
  // The folder of the job's traces, as users see it.
  std::string title;
};

class Keeper {
 public:
  // `lock` must be held. Processes of the job that create a ring use it to find
  // the keeper. It must outlive this object.
  Keeper(KeeperOptions options, KeeperLock& lock);

  // Blocks until all processes of the job have ended and their remaining
  // records were saved, as far as possible.
  void run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Saving {
    KeeperChild child;
    std::unique_ptr<KeptRing> ring;
    bool counts = true;
  };

  // Returns true if a process asked for the keeper since the last call.
  bool isAsked();
  // Opens new rings in the ring directory and adds those of this job.
  void findRings();
  // Returns true if the ring's job start has the same lock as ours.
  bool isOfJob(const KeptRing& ring) const;
  // Tracks a ring. Resets `job_` after a report; saves rings of an older job.
  void add(std::unique_ptr<KeptRing> ring);
  // Returns true for an abandoned ring of an earlier start of the job.
  bool isOlder(const KeptRing& ring) const;
  // Checks the rings in use and starts to save the abandoned ones.
  void scanRings();
  // Saves a ring in a child process. `counts` includes it in the job's last
  // line.
  void save(std::unique_ptr<KeptRing> ring, bool counts);
  // Collects the results of children that have ended, without blocking.
  void reapChildren();
  // Adds a child's result to `job_`. Tracks the ring again if it was still in
  // use.
  void account(Saving saving);
  // Writes the last line to the job's log, once, if a trace was not closed.
  void conclude();
  // Returns true if a process with a ring in use still holds the log.
  bool isLogHeld() const;
  // Releases the log once no process of the job uses it.
  void giveUpLog();
  // Returns the verdict, computed in a child; "" if undecided, not all ranks
  // are saved here, or kReportWithin has passed.
  std::string verdict();
  // Gives up the lock. Returns true if the keeper must continue.
  bool comesBack();
  // Sleeps until a process ends, but at most for a short pause.
  void wait() const;

  const KeeperOptions options_;
  KeeperLock& lock_;
  const std::int64_t began_ns_;
  std::int64_t asked_at_ = 0;
  // Paths that were already examined.
  std::set<std::string> known_;
  std::list<std::unique_ptr<KeptRing>> in_use_;
  std::list<Saving> saving_;
  OomKills oom_kills_;
  Clock::time_point counted_at_;
  // When the last ring in use was abandoned or closed. Meaningful only while
  // `in_use_` is empty.
  Clock::time_point ended_at_;
  // Whether conclude() has run; add() resets it.
  bool reported_ = false;
  JobLog log_;
  // When a process of the job was last known to hold the log.
  Clock::time_point log_held_at_;
  JobEnd job_;
};

}  // namespace traced
