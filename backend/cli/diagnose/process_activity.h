// What the processes of this host do, as the kernel tells it, and those of a
// job's ranks among them.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis/verdicts/facts/endings.h"
#include "ring_io/recovery/live_rings.h"
#include "ring_io/settings/process_info.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// What the kernel says of a process or a thread in its stat file.
struct ProcessStat {
  // "R" runs, "S" sleeps, "D" waits for a disk, "T" and "t" are stopped, "Z"
  // and "X" are dead.
  char state = '?';
  // Processor time.
  double cpu_s = 0;
  // Since the boot, by this process's clock.
  std::int64_t started_ns = 0;
};

// Of a folder in /proc, such as that of a thread; absent when it is gone.
std::optional<ProcessStat> readStat(const std::string& folder);
std::optional<ProcessStat> readProcessStat(std::int64_t pid);

// Whether the process that wrote a stream runs, as this host tells where there
// is no ring to tell it.
enum class ProcessLife {
  kRuns,
  kEnded,
  // It is on another host, or in a container that numbers processes in its own
  // way: nothing here says whether it runs.
  kUnseen,
};

ProcessLife lifeOf(const v1::Header& header, const HostInfo& here);

// What a process of this host does, as the kernel tells it: whether it
// computes, sleeps, or is stopped. It is not asked, and not slowed down.
struct Activity {
  // Processor time, and how long it was looked at.
  double cpu_s = 0;
  double span_s = 0;
  // All its threads are stopped by a signal.
  bool stopped = false;
  // A thread waits for a disk or a network file system.
  bool on_disk = false;
  // A thread computes, or would if it had a processor.
  bool runnable = false;

  // Whether it does something that may come to an end by itself.
  bool busy() const;
};

// What one look at a process found.
struct ProcessSample {
  // It cannot be seen: no process of its number has mapped its file. It may be
  // another user's, or in a container that numbers processes in its own way.
  bool hidden = false;
  // What it did since the look before; absent at the first.
  std::optional<Activity> activity;
};

class ProcessActivity {
 public:
  // Looks at the process of this number that has mapped `file`.
  ProcessSample sample(std::int64_t pid, const std::string& file);

 private:
  struct Seen {
    bool is_the_one = false;
    double cpu_s = 0;
    std::chrono::steady_clock::time_point at;
  };

  std::map<std::int64_t, Seen> seen_;
};

// What the processes of a job's ranks on this host do, from look to look.
class RankProcesses {
 public:
  // Looks at those that lived when their rings were read.
  void sample(const std::vector<RingReading>& rings);
  // Whether a rank may join by itself: its process does something, or was
  // looked at once, so that what it does is not known yet.
  bool mayJoin(std::uint32_t rank) const;
  // Absent where nothing is known of its process.
  std::optional<ProcessNow> now(std::uint32_t rank) const;

 private:
  struct Seen {
    std::int64_t pid = 0;
    ProcessSample sample;
  };

  ProcessActivity processes_;
  std::map<std::uint32_t, Seen> seen_;
};

}  // namespace traced
