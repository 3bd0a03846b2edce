// HostsJob is one job on all hosts that are heard of: what each tells of its
// ranks, put together.

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
    // What each rank called last; of ranks that are heard of.
    std::map<std::uint32_t, std::uint64_t> last_seqs;
    // By number: what ranks called, where some host knows of a difference.
    std::map<std::uint64_t, std::map<std::uint32_t, v1::Divergence::Part>>
        disputed;
    std::map<std::uint64_t, v1::Waiting> waiting;

    // The first number under which two ranks called different operations; 0:
    // none is known.
    std::uint64_t divergedAt() const;
  };

  // As this host has it; nullptr: no rank of it runs here.
  WatchedJobs::Job* own = nullptr;
  // Which of the jobs that are called alike, from 1.
  int nth = 1;

  // "run42 (attempt 1)".
  std::string title() const;
  MetricLabels labels() const;
  const std::string& name() const { return header().job(); }
  // The fields that tell runs apart.
  const v1::Header& header() const { return parts_.front().digest->header(); }

  // Whether another host's ranks are of this run: they say that they met where
  // these did, none is told twice, and all began at about one time.
  bool mayTake(const v1::JobDigest& digest) const;
  // `digest`: stays where it is.
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
