#include "cli/serve/watched_jobs.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "analysis/reading/same_run.h"
#include "cli/inputs/left_over.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using Clock = std::chrono::steady_clock;

// How long the result of a job remains visible after its end.
constexpr std::chrono::seconds kReportedAfterEnd{60};
// Maximum number of ended jobs kept. The latest are kept, because a program may
// restart forever.
constexpr std::ptrdiff_t kMaxEnded = 64;
// Interval between searches in files for definitions that a ring lacks. A
// search takes some milliseconds.
constexpr std::chrono::seconds kLookupInterval{5};
// Limits the wait for the traces' file system, which may hang. Failed accesses
// are repeated later.
constexpr std::chrono::seconds kMaxFileAccess{1};
// If more than a fourth of a ring was filled since the last poll, the next poll
// is earlier.
constexpr std::uint64_t kMuchOfARing = 4;

// Returns whether processes of this host waited for processors for most of the
// last 10 s. Reads the kernel's pressure stall information ("some avg10=1.53
// avg60=..."). Returns false if the kernel has none.
bool isStarved() {
  constexpr double kMaxPercent = 50;
  std::ifstream file("/proc/pressure/cpu");
  std::string kind, average;
  file >> kind >> average;
  double percent = 0;
  return kind == "some" &&
         absl::SimpleAtod(std::string(absl::StripPrefix(average, "avg10=")),
                          &percent) &&
         percent > kMaxPercent;
}

// Returns when the last rank ended. Absent while a rank lives.
std::optional<Clock::time_point> endOf(const WatchedJobs::Job& job) {
  Clock::time_point last;
  for (const WatchedJobs::Rank& rank : job.ranks) {
    if (rank.alive) return std::nullopt;
    last = std::max(last, rank.ended);
  }
  return last;
}

// Returns the number of records that this process or its ring lost.
std::uint64_t lostOf(const RingTail& ring) {
  std::uint64_t lost = ring.missedSlots();
  for (const ThreadDropCount& thread : ring.drops()) lost += thread.all();
  return lost;
}

bool isOfOneJob(const v1::Header& a, const v1::Header& b) {
  return haveOneName(a, b) && metInOnePlace(a, b);
}

}  // namespace

std::string jobTitle(const v1::Header& header, int nth) {
  return absl::StrCat(header.job(),
                      header.attempt() > 0
                          ? absl::StrCat(" (attempt ", header.attempt(), ")")
                          : "",
                      nth > 1 ? absl::StrCat(" (", nth, ")") : "");
}

std::vector<std::pair<std::string, std::string>> jobLabels(
    const v1::Header& header, int nth) {
  std::vector<std::pair<std::string, std::string>> labels = {
      {"job", header.job()}};
  if (header.attempt() > 0) {
    labels.emplace_back("attempt", absl::StrCat(header.attempt()));
  }
  if (nth > 1) labels.emplace_back("run", absl::StrCat(nth));
  return labels;
}

void WatchedJobs::refresh() {
  findNew();
  fast_ = false;
  const bool starved = isStarved();
  for (const auto& job : jobs_) {
    for (Rank& rank : job->ranks) read(rank);
    job->live.count(readClock(CLOCK_MONOTONIC), starved);
  }
  forgetEnded();
}

void WatchedJobs::findNew() {
  std::set<std::string> there;
  for (const RingFile& ring : findRings(ringDirectories())) {
    there.insert(ring.path);
    if (known_.contains(ring.path)) continue;
    if (ring.uid != geteuid() && geteuid() != 0) continue;
    if (!inputs_.empty() && !isWanted(ring)) continue;
    auto news = RingNews::open(ring);
    if (!news) continue;
    if (!*news) {
      warnings_.push_back(printable(absl::StrCat(
          ring.path, " is not followed: ", news->error().message)));
    } else if ((**news)->tail().isAlive()) {
      begin(**std::move(news));
    }
    known_.insert(ring.path);
  }
  std::erase_if(known_,
                [&](const std::string& path) { return !there.contains(path); });
}

// Returns whether the ring belongs to the inputs. Resolves links on the traces'
// file system.
bool WatchedJobs::isWanted(const RingFile& ring) {
  return files_
      .ask([ring, inputs = inputs_] { return namesOneOf(ring, inputs); },
           kMaxFileAccess)
      .value_or(false);
}

void WatchedJobs::find(Rank& rank) {
  rank.last_lookup = Clock::now();
  auto definitions = files_.ask(
      [trace = rank.news->trace(), named = rank.stream->unknown()] {
        return findDefinitions(trace, named);
      },
      kMaxFileAccess);
  if (definitions) rank.stream->resolve(*std::move(definitions));
}

WatchedJobs::Job& WatchedJobs::beginJob(const v1::Header& header) {
  std::set<int> taken;
  for (const auto& job : jobs_) {
    const v1::Header& other = job->live.header();
    if (other.job() == header.job() && other.attempt() == header.attempt()) {
      taken.insert(job->nth);
    }
  }
  Job& job = *jobs_.emplace_back(std::make_unique<Job>());
  while (taken.contains(job.nth)) ++job.nth;
  job.began_ns = readClock(CLOCK_REALTIME);
  return job;
}

void WatchedJobs::begin(std::unique_ptr<RingNews> news) {
  const v1::Header& header = news->tail().header();
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) {
        const bool has_rank = std::any_of(
            job->ranks.begin(), job->ranks.end(), [&](const Rank& rank) {
              return rank.stream->table().header.rank() == header.rank();
            });
        return !has_rank && isOfOneJob(job->live.header(), header);
      });
  Job& job = found == jobs_.end() ? beginJob(header) : **found;
  LiveStream& stream = job.live.add(header);
  const auto& members = job.live.members();
  const auto member =
      std::find_if(members.begin(), members.end(),
                   [&](const auto& each) { return &each->stream == &stream; });
  job.ranks.insert(job.ranks.begin() + (member - members.begin()),
                   {std::move(news), &stream, true, {}, {}, 0});
}

void WatchedJobs::read(Rank& rank) {
  if (!rank.alive) return;
  // Check this before the ring is read: if the process is dead, the ring is
  // complete.
  const bool alive = rank.news->tail().isAlive();
  const std::uint64_t before = rank.news->tail().position();
  const bool readable = rank.news->poll();
  rank.stream->define(rank.news->definitions());
  for (const RingRow& row : rank.news->rows()) {
    std::visit([&](const auto& each) { rank.stream->add(each); }, row);
  }
  const std::uint64_t lost = lostOf(rank.news->tail());
  if (std::exchange(rank.lost, lost) != lost) rank.stream->addLoss();
  fast_ |= kMuchOfARing * (rank.news->tail().position() - before) >
           rank.news->tail().slots();
  if (!rank.stream->knowsAll() &&
      Clock::now() - rank.last_lookup > kLookupInterval) {
    find(rank);
  }
  if (alive && readable) return;
  rank.alive = false;
  rank.ended = Clock::now();
}

void WatchedJobs::forgetEnded() {
  auto since = Clock::now() - kReportedAfterEnd;
  std::vector<Clock::time_point> ends;
  for (const auto& job : jobs_) {
    if (const auto end = endOf(*job)) ends.push_back(*end);
  }
  if (ends.size() > kMaxEnded) {
    const auto first = ends.end() - kMaxEnded;
    std::nth_element(ends.begin(), first, ends.end());
    since = std::max(since, *first);
  }
  std::erase_if(jobs_, [&](const auto& job) {
    const auto end = endOf(*job);
    return end && *end < since;
  });
}

std::vector<std::string> WatchedJobs::takeWarnings() {
  return std::exchange(warnings_, {});
}

}  // namespace traced
