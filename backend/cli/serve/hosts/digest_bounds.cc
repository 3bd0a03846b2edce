#include "cli/serve/hosts/digest_bounds.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/live/order_digest.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr int kMaxJobs = 256;
constexpr int kMaxRanks = 4096;
constexpr int kMaxGroups = 4096;
constexpr int kMaxParts = 1024;
constexpr int kMaxWaits = 1024;
// Limits the members of all groups together.
constexpr std::uint64_t kMaxMembers = std::uint64_t{1} << 22;

bool isNoRoomFor(const std::string& text) {
  return text.size() > kMaxDigestText;
}

bool isOrderBounded(const v1::OrderDigest& order) {
  const auto most = [](const auto& list, std::uint64_t count) {
    return static_cast<std::uint64_t>(list.size()) <= count;
  };
  return most(order.latest(), kOrderLatest) &&
         most(order.blocks(), OrderWatch::kWindow / kOrderBlock) &&
         most(order.spelled(), kOrderBlock);
}

bool isGroupBounded(const v1::GroupDigest& group) {
  const v1::Group& defined = group.group();
  if (isNoRoomFor(defined.name()) || isNoRoomFor(defined.desc()) ||
      isNoRoomFor(defined.leg()) || isNoRoomFor(group.label()) ||
      group.rank_size() != group.last_seq_size() ||
      group.rank_size() > kMaxRanks || group.waiting_size() > kMaxWaits ||
      group.divergence().parts_size() > kMaxParts) {
    return false;
  }
  for (const v1::Divergence::Part& part : group.divergence().parts()) {
    if (isNoRoomFor(part.call()) || isNoRoomFor(part.site())) return false;
  }
  for (const v1::Waiting& waiting : group.waiting()) {
    if (isNoRoomFor(waiting.op()) || isNoRoomFor(waiting.site()) ||
        waiting.ranks_size() > kMaxRanks) {
      return false;
    }
  }
  return isOrderBounded(group.order());
}

bool isJobBounded(const v1::JobDigest& job) {
  const v1::Rendezvous& met = job.header().rendezvous();
  if (isNoRoomFor(job.header().job()) || isNoRoomFor(met.address()) ||
      isNoRoomFor(met.run_id()) || isNoRoomFor(met.start()) ||
      job.slow_peers_size() > kMaxRanks) {
    return false;
  }
  return std::all_of(job.slow_peers().begin(), job.slow_peers().end(),
                     [](const v1::SlowPeer& slow) {
                       return !isNoRoomFor(slow.group()) &&
                              !isNoRoomFor(slow.what());
                     }) &&
         std::all_of(job.groups().begin(), job.groups().end(), isGroupBounded);
}

// Explains why a digest is invalid. Returns "" if it is valid.
std::string problemOf(const v1::HostDigest& digest) {
  if (digest.version() != kVersion) {
    return absl::StrCat("it is of version ", digest.version(),
                        ", and this tracectl reads ", kVersion,
                        ": run one release on all hosts");
  }
  int ranks = 0, groups = 0;
  std::uint64_t members = 0;
  for (const v1::JobDigest& job : digest.jobs()) {
    if (!isJobBounded(job)) return "it is longer than it may be";
    ranks += job.ranks_size();
    groups += job.groups_size();
    for (const v1::GroupDigest& group : job.groups()) {
      members += group.group().size();
      if (!RankList::fromGroup(group.group())) return "a group in it is none";
    }
  }
  if (isNoRoomFor(digest.host()) || digest.jobs_size() > kMaxJobs ||
      ranks > kMaxRanks || groups > kMaxGroups || members > kMaxMembers) {
    return "it is longer than it may be";
  }
  return "";
}

// Remaining room within the bounds of a digest.
struct Room {
  std::size_t bytes = 0;
  std::uint64_t members = kMaxMembers;
  int groups = kMaxGroups;

  bool take(const v1::GroupDigest& group) {
    // Includes the tag and the length of the field.
    const std::size_t size = group.ByteSizeLong() + 8;
    if (size > bytes || group.group().size() > members || groups == 0 ||
        !isGroupBounded(group)) {
      return false;
    }
    bytes -= size;
    members -= group.group().size();
    --groups;
    return true;
  }
};

// Removes groups that exceed the bounds. Groups with members on other hosts
// have priority.
void keepWhatFits(v1::HostDigest& digest) {
  struct Group {
    int job = 0;
    v1::GroupDigest digest;
  };
  std::vector<Group> groups;
  for (int i = 0; i < digest.jobs_size(); ++i) {
    v1::JobDigest& job = *digest.mutable_jobs(i);
    for (v1::GroupDigest& group : *job.mutable_groups()) {
      groups.push_back({i, std::move(group)});
    }
    job.clear_groups();
  }
  std::stable_partition(groups.begin(), groups.end(), [](const Group& group) {
    return !isWithinHost(group.digest);
  });
  const std::size_t others = digest.ByteSizeLong() + 16;
  Room room{kMaxDigestBytes - std::min(kMaxDigestBytes, others)};
  std::uint32_t left_out = 0;
  for (Group& group : groups) {
    if (room.take(group.digest)) {
      *digest.mutable_jobs(group.job)->add_groups() = std::move(group.digest);
    } else {
      ++left_out;
    }
  }
  digest.set_left_out_groups(left_out);
}

}  // namespace

std::string boundedText(const std::string& text) {
  if (text.size() <= kMaxDigestText) return text;
  std::size_t end = kMaxDigestText;
  // Do not cut within a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

bool isWithinHost(const v1::GroupDigest& group) {
  return static_cast<std::uint32_t>(group.rank_size()) >= group.group().size();
}

WrittenDigest writeDigest(v1::HostDigest digest) {
  digest.set_version(kVersion);
  if (digest.jobs_size() > kMaxJobs) {
    digest.mutable_jobs()->DeleteSubrange(kMaxJobs,
                                          digest.jobs_size() - kMaxJobs);
  }
  keepWhatFits(digest);
  return {digest.SerializeAsString(), digest.left_out_groups()};
}

Result<v1::HostDigest> readDigest(const std::string& bytes) {
  v1::HostDigest digest;
  if (bytes.size() > kMaxDigestBytes || !digest.ParseFromString(bytes)) {
    return Error{"it is no digest of a host"};
  }
  if (std::string problem = problemOf(digest); !problem.empty()) {
    return Error{std::move(problem)};
  }
  return digest;
}

}  // namespace traced
