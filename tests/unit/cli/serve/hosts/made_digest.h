// Example digests of a job.

#pragma once

#include <cstdint>
#include <vector>

#include "traced/v1/host_digest.pb.h"

namespace traced {

// Makes a digest of the ranks of one host. The job's only group has `world`
// members.
inline v1::JobDigest madeJob(const std::vector<std::uint32_t>& ranks,
                             std::uint32_t world) {
  v1::JobDigest job;
  v1::Header& header = *job.mutable_header();
  header.set_job("run42");
  header.set_world_size(world);
  header.mutable_rendezvous()->set_address("10.0.0.1");
  header.mutable_rendezvous()->set_port(29500);
  v1::GroupDigest& group = *job.add_groups();
  group.set_label("dp");
  group.mutable_group()->set_id(1);
  group.mutable_group()->set_size(world);
  v1::RankRange& members = *group.mutable_group()->add_member();
  members.set_count(world);
  members.set_stride(1);
  for (const std::uint32_t number : ranks) {
    v1::RankDigest& rank = *job.add_ranks();
    rank.set_rank(number);
    rank.set_alive(true);
    rank.set_started_ns(1'000'000'000);
    group.add_rank(number);
    group.add_last_seq(10 + number);
  }
  return job;
}

}  // namespace traced
