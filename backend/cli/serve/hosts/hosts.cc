#include "cli/serve/hosts/hosts.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <utility>

#include "analysis/live/order_digest.h"
#include "base/clock.h"
#include "cli/serve/hosts/digest_bounds.h"
#include "cli/serve/hosts/job_digest.h"

namespace traced {
namespace {

// Returns whether any rank of the digest is alive.
bool livesOn(const v1::JobDigest& job) {
  return std::any_of(job.ranks().begin(), job.ranks().end(),
                     [](const v1::RankDigest& rank) { return rank.alive(); });
}

// Compares the calls of this host's ranks with those of another host. Returns
// true if this host has more to report than before.
bool compare(LiveJob& job, const v1::JobDigest& theirs,
             SpelledBlocks& spelled) {
  bool is_news = false;
  for (const v1::GroupDigest& group : theirs.groups()) {
    const auto defined = groupDefinition(group.group());
    const std::uint32_t index =
        defined ? job.groups().find(job.header().attempt(), *defined)
                : GroupCatalog::kNone;
    if (index == GroupCatalog::kNone) continue;
    const OrderDifference difference =
        orderDifference(job.order(), index, group.order());
    if (difference.seq) is_news |= job.dispute(index, *difference.seq);
    // Another host may have detected the divergence first.
    if (group.has_divergence()) {
      is_news |= job.dispute(index, group.divergence().seq());
    }
    if (difference.block) {
      const auto [entry, is_new] =
          spelled.try_emplace(index, *difference.block);
      if (!is_new) entry->second = std::min(entry->second, *difference.block);
    }
  }
  return is_news;
}

}  // namespace

void Hosts::refresh(const WatchedJobs& watched, std::vector<Peer> peers) {
  peers_ = std::move(peers);
  ++polls_;
  join(watched);
  if (peers_.empty()) return;
  bool is_news = false;
  std::vector<SpelledBlocks> spelled(watched.jobs().size());
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    const std::vector<HostsJob::Part>& parts = jobs_[i].parts();
    // An ended job may be an earlier run with the same rendezvous.
    if (!livesOn(*parts.front().digest)) continue;
    for (const HostsJob::Part& part : parts) {
      if (&part == &parts.front() || !livesOn(*part.digest)) continue;
      is_news |= compare(watched.jobs()[i]->live, *part.digest, spelled[i]);
    }
  }
  if (is_news) join(watched);
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    addOrders(*watched.jobs()[i], spelled[i],
              *digest_.mutable_jobs(static_cast<int>(i)));
  }
}

// Rebuilds the list of jobs. Jobs of this host are first, in the order of
// `watched`.
void Hosts::join(const WatchedJobs& watched) {
  const std::int64_t now_ns = readClock(CLOCK_MONOTONIC);
  digest_.Clear();
  digest_.set_looks(polls_);
  digest_.set_instance(options_.instance);
  digest_.set_host(boundedText(options_.host));
  for (const auto& job : watched.jobs()) {
    *digest_.add_jobs() = jobDigest(*job, options_.waiting_after, now_ns);
  }
  jobs_.clear();
  for (std::size_t i = 0; i < watched.jobs().size(); ++i) {
    HostsJob& job = jobs_.emplace_back();
    job.own = watched.jobs()[i].get();
    job.nth = job.own->nth;
    job.add(digest_.host(), digest_.jobs(static_cast<int>(i)));
  }
  for (const Peer& peer : peers_) {
    if (!peer.digest) continue;
    for (const v1::JobDigest& digest : peer.digest->jobs()) {
      jobOf(digest).add(peer.digest->host(), digest);
    }
  }
}

HostsJob& Hosts::jobOf(const v1::JobDigest& digest) {
  std::set<int> taken;
  for (HostsJob& job : jobs_) {
    if (job.mayTake(digest)) return job;
    if (job.name() == digest.header().job() &&
        job.header().attempt() == digest.header().attempt()) {
      taken.insert(job.nth);
    }
  }
  HostsJob& job = jobs_.emplace_back();
  while (taken.contains(job.nth)) ++job.nth;
  return job;
}

}  // namespace traced
