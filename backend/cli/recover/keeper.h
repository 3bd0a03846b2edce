// Keeper outlives the processes of a job and saves what they leave. How it
// behaves is told in docs/use/keeper.md.
//
// It has one thread, and waits most of the time. What may hang or crash, the
// reading of rings and the writing of traces, is left to children.

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
  // The folder of the job's traces, as it is shown.
  std::string title;
};

class Keeper {
 public:
  // Whoever makes a ring of the job asks for the lock, which is ours.
  Keeper(KeeperOptions options, KeeperLock& lock);

  // Returns when all processes of the job have ended and what they left was
  // saved, as far as it can be.
  void run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Saving {
    KeeperChild child;
    std::unique_ptr<KeptRing> ring;
    bool counts = true;
  };

  bool isAsked();
  void findRings();
  bool isOfJob(const KeptRing& ring) const;
  void add(std::unique_ptr<KeptRing> ring);
  bool isOlder(const KeptRing& ring) const;
  void scanRings();
  void save(std::unique_ptr<KeptRing> ring, bool counts);
  void reapChildren();
  void account(Saving saving);
  void conclude();
  bool isLogHeld() const;
  void giveUpLog();
  std::string verdict();
  bool comesBack();
  void wait() const;

  const KeeperOptions options_;
  KeeperLock& lock_;
  const std::int64_t began_ns_;
  std::int64_t asked_at_ = 0;
  // Paths that were looked at.
  std::set<std::string> known_;
  std::list<std::unique_ptr<KeptRing>> in_use_;
  std::list<Saving> saving_;
  OomKills oom_kills_;
  Clock::time_point counted_at_;
  // Since all processes were gone last, until new ones come: when that was, and
  // whether it was told.
  Clock::time_point ended_at_;
  bool reported_ = false;
  JobLog log_;
  // When a process of the job was last known to have the log.
  Clock::time_point log_held_at_;
  JobEnd job_;
};

}  // namespace traced
