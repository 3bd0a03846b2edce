// WatchedJobs finds the traced processes of this host by their rings, and
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

// "run42", "run42 (attempt 1)", "run42 (2)" of the second of this name.
std::string jobTitle(const v1::Header& header, int nth);
// By which metrics tell it from others.
std::vector<std::pair<std::string, std::string>> jobLabels(
    const v1::Header& header, int nth);

// Not thread safe.
class WatchedJobs {
 public:
  struct Rank {
    std::unique_ptr<RingNews> news;
    LiveStream* stream = nullptr;
    // Its ring is there, and its process lives.
    bool alive = true;
    std::chrono::steady_clock::time_point ended;
    std::chrono::steady_clock::time_point looked_up;
    // Records that were missing at the last poll.
    std::uint64_t lost = 0;
  };
  struct Job {
    LiveJob live;
    // Which of the jobs that are called alike, from 1.
    int nth = 1;
    // When it was found, on the clock of the day.
    std::int64_t began_ns = 0;
    // In their order, as the members of `live`.
    std::vector<Rank> ranks;
  };

  // Without `inputs` all that this user may read, which of root's are all.
  explicit WatchedJobs(std::vector<std::string> inputs)
      : inputs_(std::move(inputs)), began_ns_(readClock(CLOCK_REALTIME)) {}

  // Looks once more.
  void refresh();
  // Whether a ring was filled so far that the next look should come soon.
  bool isFast() const { return fast_; }

  // Since when, on the clock of the day.
  std::int64_t beganNs() const { return began_ns_; }
  const std::vector<std::unique_ptr<Job>>& jobs() const { return jobs_; }
  // Sentences about rings that cannot be followed, each once.
  std::vector<std::string> takeWarnings();

 private:
  void findNew();
  bool isWanted(const RingFile& ring);
  void find(Rank& rank);
  Job& beginJob(const v1::Header& header);
  void begin(std::unique_ptr<RingNews> news);
  void read(Rank& rank);
  void forgetEnded();

  const std::vector<std::string> inputs_;
  const std::int64_t began_ns_;
  std::vector<std::unique_ptr<Job>> jobs_;
  // Rings that are followed, or were tried in vain.
  std::set<std::string> known_;
  std::vector<std::string> warnings_;
  bool fast_ = false;
  // Accesses the file system of traces.
  Background files_{1};
};

}  // namespace traced
