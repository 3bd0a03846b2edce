#include "cli/follow_log.h"

#include <iterator>
#include <set>
#include <utility>

namespace traced {
namespace {

constexpr int kLooks = 2;

// Others are about the past, and are not found again when that is out of sight.
bool mayBeOver(VerdictKind kind) {
  return kind == VerdictKind::kDeadlock || kind == VerdictKind::kNeverJoined ||
         kind == VerdictKind::kHungIn || kind == VerdictKind::kP2pUnpaired ||
         kind == VerdictKind::kUndecided;
}

}  // namespace

FollowLog::News FollowLog::look(std::vector<Finding> findings, Time now,
                                bool last) {
  News news;
  std::set<std::string> names;
  for (Finding& finding : findings) {
    names.insert(finding.name);
    Known& known =
        known_.try_emplace(finding.name, Known{{}, now}).first->second;
    ++known.looks;
    const bool is_sure = known.looks >= kLooks &&
                         (!finding.may_pass || now - known.since >= patience_);
    if (known.told || !(is_sure || last)) continue;
    known.told = told_any_ = true;
    known.verdict = finding.verdict;
    news.verdicts.push_back(std::move(finding.verdict));
  }
  for (auto each = known_.begin(); each != known_.end();) {
    Known& known = each->second;
    const bool stays = names.contains(each->first) ||
                       (known.told && !mayBeOver(known.verdict.kind));
    if (!stays && known.told && !last) {
      news.over.push_back(std::move(known.verdict));
    }
    each = stays ? std::next(each) : known_.erase(each);
  }
  return news;
}

}  // namespace traced
