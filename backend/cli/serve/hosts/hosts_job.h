// HostsJob is one job on all known hosts, combined from what each host reports
// about its ranks.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

class HostsJob {
 public:
  struct Part {
    std::string host;
    const v1::JobDigest* digest = nullptr;
  };
  struct Group {
    std::string label;
    RankList members;
    // Number of the latest call of each rank, for ranks with a known digest.
    std::map<std::uint32_t, std::uint64_t> last_seqs;
    // Calls of the ranks by operation number, for numbers under which some host
    // found different calls.
    std::map<std::uint64_t, std::map<std::uint32_t, v1::Divergence::Part>>
        disputed;
    std::map<std::uint64_t, v1::Waiting> waiting;

    // Returns the first number under which two ranks called different
    // operations, or 0 if none is known.
    std::uint64_t divergedAt() const;
  };

  // The job on this host, or nullptr if none of its ranks runs here.
  WatchedJobs::Job* own = nullptr;
  // Index among jobs with the same name and attempt, from 1.
  int nth = 1;

  // Returns a title such as "run42 (attempt 1)".
  std::string title() const;
  // Returns the labels that distinguish the job's metrics.
  MetricLabels labels() const;
  const std::string& name() const { return header().job(); }
  // Returns the fields that distinguish runs.
  const v1::Header& header() const { return parts_.front().digest->header(); }

  // Returns whether `digest` belongs to the same run: same name, same
  // rendezvous, no rank reported twice, and starts at about the same time.
  bool mayTake(const v1::JobDigest& digest) const;
  // Adds what a host reports. `digest` must outlive this object and keep its
  // address.
  void add(std::string host, const v1::JobDigest& digest);

  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<Group>& groups() const { return groups_; }

 private:
  void addGroup(const v1::GroupDigest& group);

  std::vector<Part> parts_;
  GroupCatalog catalog_;
  std::vector<Group> groups_;
  std::map<std::string, int> label_uses_;
};

}  // namespace traced
