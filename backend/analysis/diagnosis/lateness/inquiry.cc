#include "analysis/diagnosis/lateness/inquiry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "analysis/diagnosis/lateness/compared_ranks.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/stream/clock_cursor.h"

namespace traced {
namespace {

// Limits per verdict and per run. The ranks with the most lateness are kept.
constexpr std::size_t kMaxOfVerdict = 8;
constexpr std::size_t kMaxOfRun = 256;

void keepLongest(std::size_t most, std::vector<Inquiry>& inquiries) {
  std::stable_sort(inquiries.begin(), inquiries.end(),
                   [](const Inquiry& a, const Inquiry& b) {
                     return a.late->late_ns > b.late->late_ns;
                   });
  if (inquiries.size() > most) {
    inquiries.erase(inquiries.begin() + static_cast<std::ptrdiff_t>(most),
                    inquiries.end());
  }
}

std::vector<Inquiry> inquiriesOf(std::vector<JobVerdict>& verdicts) {
  std::vector<Inquiry> inquiries;
  for (JobVerdict& verdict : verdicts) {
    std::vector<Inquiry> of_verdict;
    for (const LateTimes& late : verdict.late) {
      if (late.late_ns > 0) of_verdict.emplace_back(verdict, late);
    }
    keepLongest(kMaxOfVerdict, of_verdict);
    std::move(of_verdict.begin(), of_verdict.end(),
              std::back_inserter(inquiries));
  }
  keepLongest(kMaxOfRun, inquiries);
  return inquiries;
}

// Adds what a rank used to the inquiries about it.
void addUse(const JobState& job, const StreamTable& table,
            const std::vector<Inquiry*>& inquiries) {
  const std::uint32_t rank = table.header.rank();
  const RankState* state = job.rank(rank);
  if (!state) return;
  const auto index = static_cast<std::size_t>(state - job.ranks.data());
  const ClockCursor clock(job.clocks[index]);
  for (Inquiry* inquiry : inquiries) {
    const ResourceUse use = useWithin(inquiry->windows, table, clock);
    if (!use.is_known) continue;
    if (rank == inquiry->late->rank) {
      inquiry->own = use;
    } else {
      inquiry->others.push_back(use);
    }
  }
}

// Reads what the ranks used.
void readUses(const JobState& job, const TraceSet& set,
              std::vector<Inquiry>& inquiries) {
  std::map<std::uint32_t, std::vector<Inquiry*>> by_rank;
  for (Inquiry& inquiry : inquiries) {
    by_rank[inquiry.late->rank].push_back(&inquiry);
    for (const std::uint32_t rank :
         ranksOnTime(job, *inquiry.verdict, *inquiry.late, inquiry.windows)) {
      by_rank[rank].push_back(&inquiry);
    }
  }
  std::vector<std::size_t> streams;
  for (const std::size_t i : set.selected) {
    if (by_rank.contains(set.streams[i].header.rank())) streams.push_back(i);
  }
  readStreams(set, streams, readingThreads(set),
              [&](std::size_t, const StreamTable& table) {
                addUse(job, table, by_rank[table.header.rank()]);
              });
}

}  // namespace

std::vector<Inquiry> inquire(const JobState& job, const TraceSet& set,
                             std::vector<JobVerdict>& verdicts) {
  std::vector<Inquiry> inquiries = inquiriesOf(verdicts);
  if (!inquiries.empty()) readUses(job, set, inquiries);
  return inquiries;
}

}  // namespace traced
