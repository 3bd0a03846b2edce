// Samples the processes of this host through the kernel, including those of a
// job's ranks.

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

// Fields of the stat file of a process or thread.
struct ProcessStat {
  // Kernel state: 'R' runs, 'S' sleeps, 'D' waits for a disk, 'T' and 't' are
  // stopped, 'Z' and 'X' are dead.
  char state = '?';
  // CPU time in seconds.
  double cpu_s = 0;
  // Start time since boot, on this process's clock.
  std::int64_t started_ns = 0;
};

// Reads the stat file of a folder in /proc, such as that of a thread. Returns
// nullopt if the folder is gone.
std::optional<ProcessStat> readStat(const std::string& folder);
std::optional<ProcessStat> readProcessStat(std::int64_t pid);

// Whether the process that wrote a stream still runs. Used if no ring shows it.
enum class ProcessLife {
  kRuns,
  kEnded,
  // It runs on another host or in another PID namespace, so its state cannot be
  // read here.
  kUnseen,
};

// Returns kRuns if the process exists but this user cannot read its state.
// Recognizes reused PIDs.
ProcessLife lifeOf(const v1::Header& header, const HostInfo& here);

// Activity of a process on this host, from the kernel only. Sampling neither
// contacts nor slows the process.
struct Activity {
  // CPU time and length of the sampled interval, in seconds.
  double cpu_s = 0;
  double span_s = 0;
  // All its threads are stopped by a signal.
  bool stopped = false;
  // A thread waits for a disk or a network file system.
  bool on_disk = false;
  // A thread computes or waits for a processor.
  bool runnable = false;

  // Returns true if it does something that may finish by itself.
  bool busy() const;
};

// Result of one sample of a process.
struct ProcessSample {
  // No visible process with this PID has mapped the file. The process may
  // belong to another user or PID namespace.
  bool hidden = false;
  // Activity since the previous sample; absent for the first.
  std::optional<Activity> activity;
};

class ProcessActivity {
 public:
  // Samples the process with this PID that has mapped `file`.
  ProcessSample sample(std::int64_t pid, const std::string& file);

 private:
  struct Seen {
    bool is_the_one = false;
    double cpu_s = 0;
    std::chrono::steady_clock::time_point at;
  };

  std::map<std::int64_t, Seen> seen_;
};

// RankProcesses samples the processes of a job's ranks on this host.
class RankProcesses {
 public:
  // Samples the processes that were alive when their rings were read.
  void sample(const std::vector<RingReading>& rings);
  // Returns true if a rank may still join by itself. Its process is active, or
  // was sampled only once, so its activity is unknown.
  bool mayJoin(std::uint32_t rank) const;
  // Returns the current state of a rank's process; absent if it is unknown.
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
