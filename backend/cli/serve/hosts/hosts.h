// Hosts combines the jobs of this host with those that peers report.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/serve/hosts/hosts_job.h"
#include "cli/serve/peers/peer_list.h"
#include "cli/serve/watched_jobs.h"

namespace traced {

// Not thread safe.
class Hosts {
 public:
  struct Options {
    std::string host;
    // Identifies this `serve` among those of other hosts.
    std::uint64_t instance = 0;
    std::chrono::nanoseconds waiting_after{};
  };

  explicit Hosts(Options options) : options_(std::move(options)) {}

  // Updates the jobs from this host's processes and the latest digests of its
  // peers.
  void refresh(const WatchedJobs& watched, std::vector<Peer> peers);

  // Returns all jobs, those of this host first. Valid until the next refresh().
  const std::vector<HostsJob>& jobs() const { return jobs_; }
  // Returns the peers as of the latest refresh().
  const std::vector<Peer>& peers() const { return peers_; }
  // Returns what this host reports to its peers.
  const v1::HostDigest& digest() const { return digest_; }

 private:
  void join(const WatchedJobs& watched);
  // Returns the job that a digest belongs to, creating it if necessary.
  HostsJob& jobOf(const v1::JobDigest& digest);

  const Options options_;
  std::uint64_t polls_ = 0;
  std::vector<Peer> peers_;
  v1::HostDigest digest_;
  std::vector<HostsJob> jobs_;
};

}  // namespace traced
