#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "cli/report/html/page_sections.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

constexpr std::int64_t kMinHangNs = 1'000'000'000;
constexpr std::size_t kMaxHangs = 20;
constexpr std::size_t kMaxHangRanks = 1024;

// When a rank was in the hung operation, on the common time line.
struct Standing {
  std::int64_t from_ns = 0;
  std::int64_t until_ns = 0;
  // It had not left the operation when it was last observed.
  bool is_open = true;
};

bool isOf(const JobVerdict& verdict, const OperationRef& operation) {
  return operation.group == verdict.group && operation.seq >= verdict.seq &&
         (!verdict.pair || operation.pair == verdict.pair);
}

// Returns nothing for a rank that is in no operation of the hang.
std::optional<Standing> standingOf(const JobVerdict& verdict,
                                   const RankState& rank) {
  for (const OperationRef& operation : rank.inside) {
    if (!isOf(verdict, operation)) continue;
    const std::int64_t until_ns = operation.until_ns.value_or(rank.last_ns);
    return Standing{operation.at_ns, until_ns, !operation.until_ns.has_value()};
  }
  const auto& failed = rank.first_failure;
  if (!failed || !isOf(verdict, *failed)) return std::nullopt;
  return Standing{failed->at_ns, failed->failed_ns.value_or(rank.last_ns),
                  false};
}

}  // namespace

Json hangJson(const PageInput& input, const JobVerdict& verdict) {
  const JobState& job = input.diagnosis.job;
  const std::int64_t first_ns = input.report.pictures->waits.first_ns;
  const std::int64_t since_ns = *verdict.since_ns;
  std::int64_t until_ns = since_ns + verdict.waited_ns.value_or(0);
  Json waiting = Json::array();
  Json missing = Json::array();
  Json missing_until_ns = Json::array();
  bool is_open = false;
  for (const RankState& rank : job.ranks) {
    if (waiting.size() + missing.size() >= kMaxHangRanks) break;
    if (const auto standing = standingOf(verdict, rank)) {
      is_open |= standing->is_open;
      until_ns = std::max(until_ns, standing->until_ns);
      waiting.push_back({{"rank", rank.rank},
                         {"from_ns", standing->from_ns - first_ns},
                         {"until_ns", standing->until_ns - first_ns},
                         {"open", standing->is_open}});
    } else if (std::binary_search(verdict.culprits.begin(),
                                  verdict.culprits.end(), rank.rank)) {
      missing.push_back(rank.rank);
      missing_until_ns.push_back(rank.last_ns - first_ns);
    }
  }
  return {{"operation", printable(stuckText(job, verdict.subject()))},
          {"from_ns", since_ns - first_ns},
          {"until_ns", until_ns - first_ns},
          {"open", is_open},
          {"waiting", std::move(waiting)},
          {"missing", std::move(missing)},
          {"missing_until_ns", std::move(missing_until_ns)}};
}

std::vector<std::uint32_t> blamedRanks(const PageInput& input) {
  constexpr std::size_t kMax = 1000;
  std::vector<std::uint32_t> blamed;
  for (const JobVerdict& verdict : input.diagnosis.verdicts) {
    if (verdict.culprit == Confidence::kUndecided) continue;
    for (const std::uint32_t rank : verdict.culprits) {
      if (blamed.size() < kMax) blamed.push_back(rank);
    }
  }
  return blamed;
}

bool isHang(const PageInput& input, const JobVerdict& verdict) {
  if (!traitsOf(verdict.kind).is_stuck || !verdict.since_ns) return false;
  if (verdict.waited_ns) return *verdict.waited_ns >= kMinHangNs;
  // Ranks whose operation failed: the verdict does not say when.
  const auto& ranks = input.diagnosis.job.ranks;
  return std::any_of(ranks.begin(), ranks.end(), [&](const RankState& rank) {
    const auto standing = standingOf(verdict, rank);
    return standing && standing->until_ns - *verdict.since_ns >= kMinHangNs;
  });
}

bool hasHang(const PageInput& input) {
  const auto& verdicts = input.diagnosis.verdicts;
  return std::any_of(
      verdicts.begin(), verdicts.end(),
      [&](const JobVerdict& verdict) { return isHang(input, verdict); });
}

Json hangsJson(const PageInput& input) {
  Json hangs = Json::array();
  for (const JobVerdict& verdict : input.diagnosis.verdicts) {
    if (hangs.size() >= kMaxHangs) break;
    if (isHang(input, verdict)) hangs.push_back(hangJson(input, verdict));
  }
  return hangs;
}

}  // namespace traced
