#include "analysis/diagnosis/lateness/causes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/diagnosis/lateness/inquiry.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

constexpr double kExplains = 0.8;
// A cause that takes less of the lateness is ruled out.
constexpr double kTooShort = 0.2;

// Returns the least lateness for which a cause can be judged. Some causes are
// not measured all the time, but only looked for: 20 times a second, or once.
std::int64_t shortestFor(LateCause cause) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  switch (cause) {
    case LateCause::kPaging:
    case LateCause::kStorage:
    case LateCause::kKernel:
      return kSecondNs;
    case LateCause::kGpuClocks:
      return 5 * kSecondNs;
    default:
      return 0;
  }
}

std::int64_t partOf(std::int64_t ns, double part) {
  return static_cast<std::int64_t>(static_cast<double>(ns) * part);
}

// Returns the longest time of a rank on time. Absent if one is unknown.
std::optional<std::int64_t> longestOf(LateCause cause,
                                      const std::vector<ResourceUse>& uses) {
  std::optional<std::int64_t> longest = 0;
  for (const ResourceUse& use : uses) {
    if (!use.of(cause).ns) return std::nullopt;
    longest = std::max(longest, use.of(cause).ns);
  }
  return longest;
}

// A cause that explains a rank's lateness, and for how long it had it.
struct Explained {
  std::int64_t ns = 0;
  std::int64_t of_others_ns = 0;
};
std::optional<Explained> explainedBy(LateCause cause, const Inquiry& inquiry) {
  const std::int64_t late_ns = inquiry.late->late_ns;
  const std::optional<std::int64_t> ns = inquiry.own->of(cause).ns;
  const auto of_others_ns = longestOf(cause, inquiry.others);
  if (!ns || !of_others_ns || late_ns < shortestFor(cause) ||
      wrappingDifference(*ns, *of_others_ns) < partOf(late_ns, kExplains)) {
    return std::nullopt;
  }
  return Explained{*ns, *of_others_ns};
}

// Returns whether a cause is known to be too short to explain the lateness.
bool isRuledOut(LateCause cause, const Inquiry& inquiry) {
  return !inquiry.late->may_begin_earlier &&
         inquiry.late->late_ns >= shortestFor(cause) &&
         inquiry.own->of(cause).at_most_ns <
             partOf(inquiry.late->late_ns, kTooShort);
}

void addRank(std::uint32_t rank, std::vector<std::uint32_t>& ranks) {
  ranks.insert(std::lower_bound(ranks.begin(), ranks.end(), rank), rank);
}

// Adds the cause of one more rank to those of the verdict.
void addCause(const Inquiry& inquiry, LateCause cause, const Explained& time) {
  std::vector<ExplainedBy>& causes = inquiry.verdict->causes;
  auto same = std::find_if(
      causes.begin(), causes.end(),
      [cause](const ExplainedBy& each) { return each.cause == cause; });
  if (same == causes.end()) {
    same = causes.insert(same, ExplainedBy{{}, cause, 0, 0, 0});
  }
  addRank(inquiry.late->rank, same->ranks);
  same->late_ns = wrappingSum(same->late_ns, inquiry.late->late_ns);
  same->ns = wrappingSum(same->ns, time.ns);
  same->of_others_ns = std::max(same->of_others_ns, time.of_others_ns);
}

void addUnexplained(const Inquiry& inquiry) {
  std::vector<LateCause> ruled_out;
  for (std::size_t i = 0; i < kLateCauses; ++i) {
    const auto cause = static_cast<LateCause>(i);
    if (isRuledOut(cause, inquiry)) ruled_out.push_back(cause);
  }
  std::optional<NothingExplains>& all = inquiry.verdict->unexplained;
  if (!all) all = NothingExplains{{}, ruled_out};
  addRank(inquiry.late->rank, all->ranks);
  std::erase_if(all->ruled_out, [&](LateCause cause) {
    return std::find(ruled_out.begin(), ruled_out.end(), cause) ==
           ruled_out.end();
  });
}

void judge(const Inquiry& inquiry) {
  if (!inquiry.own || inquiry.others.empty()) return;
  bool is_explained = false;
  for (std::size_t i = 0; i < kLateCauses; ++i) {
    auto cause = static_cast<LateCause>(i);
    if (cause == LateCause::kKernel) continue;  // another name of kStorage
    const auto time = explainedBy(cause, inquiry);
    if (!time) continue;
    if (cause == LateCause::kStorage && !inquiry.own->moves_bytes) {
      cause = LateCause::kKernel;
    }
    addCause(inquiry, cause, *time);
    is_explained = true;
  }
  if (!is_explained) addUnexplained(inquiry);
}

}  // namespace

void findCauses(const JobState& job, const TraceSet& set,
                std::vector<JobVerdict>& verdicts) {
  for (const Inquiry& inquiry : inquire(job, set, verdicts)) judge(inquiry);
  for (JobVerdict& verdict : verdicts) {
    verdict.reasons.insert(verdict.reasons.begin(), verdict.causes.begin(),
                           verdict.causes.end());
    if (verdict.unexplained) verdict.reasons.push_back(*verdict.unexplained);
  }
}

const char* nameOf(LateCause cause) {
  switch (cause) {
    case LateCause::kCollecting:
      return "garbage_collection";
    case LateCause::kLoading:
      return "data_loading";
    case LateCause::kThrottled:
      return "cgroup_throttling";
    case LateCause::kProcessor:
      return "waiting_for_processor";
    case LateCause::kPaging:
      return "paging";
    case LateCause::kStorage:
      return "storage";
    case LateCause::kKernel:
      return "blocked_in_kernel";
    case LateCause::kGpuClocks:
      return "gpu_clocks";
  }
  return "";
}

}  // namespace traced
