#include "cli/diagnose/follow_log.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace traced {
namespace {

constexpr int kLooks = 2;

// Others are about the past, and are not found again when that is out of sight.
bool mayBeOver(VerdictKind kind) { return traitsOf(kind).may_be_over; }

// Whether what stood still does so yet, for another reason: so does what waits
// for a rank that did not come, and was killed then.
bool standsYet(const JobVerdict& then,
               const std::vector<JobVerdict>& standing) {
  constexpr std::uint32_t kAny = GroupCatalog::kNone;
  return std::any_of(standing.begin(), standing.end(),
                     [&then](const JobVerdict& now) {
                       return then.group == kAny || now.group == kAny ||
                              (then.group == now.group && now.seq <= then.seq);
                     });
}

}  // namespace

FollowLog::News FollowLog::look(std::vector<Finding> findings, Time now,
                                Job job) {
  const bool last = job != Job::kRuns;
  News news;
  std::vector<JobVerdict> standing;
  std::set<std::string> names;
  for (Finding& finding : findings) {
    names.insert(finding.name);
    if (mayBeOver(finding.verdict.kind) ||
        finding.verdict.kind == VerdictKind::kLeftEarly) {
      standing.push_back(finding.verdict);
    }
    Known& known =
        known_.try_emplace(finding.name, Known{{}, now}).first->second;
    ++known.looks;
    known.still = finding.may_pass ? 0 : known.still + 1;
    const bool is_sure =
        known.still >= kLooks ||
        (known.looks >= kLooks && now - known.since >= patience_);
    if (known.told || !(is_sure || last)) continue;
    known.told = told_any_ = true;
    known.finding = finding;
    news.found.push_back(std::move(finding));
  }
  for (auto each = known_.begin(); each != known_.end();) {
    Known& known = each->second;
    // What stands still for another reason by now is over with that one, too.
    const bool stays =
        names.contains(each->first) ||
        (known.told && (!mayBeOver(known.finding.verdict.kind) ||
                        standsYet(known.finding.verdict, standing)));
    // Of processes that were killed, what stood still did to the end.
    if (!stays && known.told && job != Job::kEnded) {
      news.over.push_back(std::move(known.finding));
    }
    each = stays ? std::next(each) : known_.erase(each);
  }
  return news;
}

}  // namespace traced
