#include "cli/serve/hosts/hosts_job.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/reading/same_run.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Maximum distance of the starts of one run's ranks, which meet before they
// record. Includes the difference between the hosts' wall clocks.
constexpr std::int64_t kMaxDistanceNs = 60'000'000'000;

// Returns when the first and the last of its ranks began to record, in
// nanoseconds.
std::pair<std::int64_t, std::int64_t> startsOf(const v1::JobDigest& job) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const v1::RankDigest& rank : job.ranks()) {
    first = std::min(first, rank.started_ns());
    last = std::max(last, rank.started_ns());
  }
  return {first, last};
}

// Returns whether all ranks of both digests started within kMaxDistanceNs.
bool beganTogether(const v1::JobDigest& one, const v1::JobDigest& other) {
  const auto [first, last] = startsOf(one);
  const auto [other_first, other_last] = startsOf(other);
  return wrappingDifference(std::max(last, other_last),
                            std::min(first, other_first)) <= kMaxDistanceNs;
}

}  // namespace

std::uint64_t HostsJob::Group::divergedAt() const {
  for (const auto& [seq, parts] : disputed) {
    std::set<std::uint64_t> signatures;
    for (const auto& [rank, part] : parts) signatures.insert(part.signature());
    if (signatures.size() > 1) return seq;
  }
  return 0;
}

std::string HostsJob::title() const { return jobTitle(header(), nth); }

MetricLabels HostsJob::labels() const { return jobLabels(header(), nth); }

bool HostsJob::mayTake(const v1::JobDigest& digest) const {
  const v1::JobDigest& first = *parts_.front().digest;
  if (!haveOneName(first.header(), digest.header()) ||
      !metInOnePlace(first.header(), digest.header()) ||
      !hasRendezvous(first.header().rendezvous()) ||
      !hasRendezvous(digest.header().rendezvous())) {
    return false;
  }
  std::set<std::uint32_t> ranks;
  for (const v1::RankDigest& rank : digest.ranks()) ranks.insert(rank.rank());
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    const auto& known = part.digest->ranks();
    return beganTogether(*part.digest, digest) &&
           std::none_of(known.begin(), known.end(),
                        [&](const v1::RankDigest& rank) {
                          return ranks.contains(rank.rank());
                        });
  });
}

void HostsJob::add(std::string host, const v1::JobDigest& digest) {
  parts_.push_back({std::move(host), &digest});
  for (const v1::GroupDigest& group : digest.groups()) addGroup(group);
}

void HostsJob::addGroup(const v1::GroupDigest& group) {
  const auto defined = groupDefinition(group.group());
  if (!defined) return;
  const std::uint32_t index = catalog_.add(0, {*defined}).front();
  if (index == groups_.size()) {
    Group& created = groups_.emplace_back();
    created.members = defined->members;
    const int use = ++label_uses_[group.label()];
    created.label =
        use == 1 ? group.label() : absl::StrCat(group.label(), "#", use);
  }
  Group& known = groups_[index];
  for (int i = 0; i < group.rank_size(); ++i) {
    std::uint64_t& last = known.last_seqs[group.rank(i)];
    last = std::max(last, group.last_seq(i));
  }
  if (group.has_divergence()) {
    auto& parts = known.disputed[group.divergence().seq()];
    for (const v1::Divergence::Part& part : group.divergence().parts()) {
      parts.try_emplace(part.rank(), part);
    }
  }
  for (const v1::Waiting& waiting : group.waiting()) {
    v1::Waiting& all = known.waiting[waiting.seq()];
    if (all.ranks().empty())
      all = waiting;
    else
      all.mutable_ranks()->MergeFrom(waiting.ranks());
    all.set_waiting_ns(std::max(all.waiting_ns(), waiting.waiting_ns()));
  }
}

}  // namespace traced
