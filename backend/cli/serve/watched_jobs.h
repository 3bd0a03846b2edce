// WatchedJobs finds the traced processes of this host by their rings and
// follows what they record.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/live/live_job.h"
#include "base/clock.h"
#include "cli/serve/background.h"
#include "ring_io/recovery/ring_news.h"

namespace traced {

// Returns "run42", "run42 (attempt 1)", or "run42 (2)" for the second job of
// this name.
std::string jobTitle(const v1::Header& header, int nth);
// Returns the labels that distinguish a job's metrics from those of other jobs.
std::vector<std::pair<std::string, std::string>> jobLabels(
    const v1::Header& header, int nth);

// Not thread safe.
class WatchedJobs {
 public:
  struct Rank {
    std::unique_ptr<RingNews> news;
    LiveStream* stream = nullptr;
    // True while the ring exists and its process lives.
    bool alive = true;
    std::chrono::steady_clock::time_point ended;
    std::chrono::steady_clock::time_point last_lookup;
    // Number of records missing at the last poll.
    std::uint64_t lost = 0;
  };
  struct Job {
    LiveJob live;
    // Index among jobs with the same name and attempt, from 1.
    int nth = 1;
    // Time at which it was found, in nanoseconds since the Unix epoch.
    std::int64_t began_ns = 0;
    // Sorted by rank, in the order of the members of `live`.
    std::vector<Rank> ranks;
  };

  // Follows the rings of the traces in `inputs`. Without inputs, follows all
  // rings of this user, or of all users if the user is root.
  explicit WatchedJobs(std::vector<std::string> inputs)
      : inputs_(std::move(inputs)), began_ns_(readClock(CLOCK_REALTIME)) {}

  // Finds new processes, reads all rings, and forgets jobs that ended long ago.
  void refresh();
  // Returns whether a ring filled so fast that the next poll should be earlier.
  bool isFast() const { return fast_; }

  // Returns the time of construction, in nanoseconds since the Unix epoch.
  std::int64_t beganNs() const { return began_ns_; }
  const std::vector<std::unique_ptr<Job>>& jobs() const { return jobs_; }
  // Returns new warnings about rings that cannot be followed, each once.
  std::vector<std::string> takeWarnings();

 private:
  // Opens rings that appeared since the latest call.
  void findNew();
  // Returns false also if the traces' file system does not answer in time.
  bool isWanted(const RingFile& ring);
  // Searches the rank's files for definitions that its ring lacks.
  void find(Rank& rank);
  // Adds a job, with the lowest free index among jobs of its name.
  Job& beginJob(const v1::Header& header);
  // Adds a rank to its job, creating the job if necessary.
  void begin(std::unique_ptr<RingNews> news);
  // Reads new records of a rank. Does nothing once the rank has ended.
  void read(Rank& rank);
  // Removes jobs whose ranks all ended long ago.
  void forgetEnded();

  const std::vector<std::string> inputs_;
  const std::int64_t began_ns_;
  std::vector<std::unique_ptr<Job>> jobs_;
  // Paths of rings that are followed or could not be opened.
  std::set<std::string> known_;
  std::vector<std::string> warnings_;
  bool fast_ = false;
  // Runs accesses to the traces' file system, which may block.
  Background files_{1};
};

}  // namespace traced
