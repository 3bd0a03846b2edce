#include "recorder/watch/hang_watch.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/engine_traits.h"

namespace traced {
namespace {

std::uint64_t mannerKey(std::uint32_t group, CallManner how) {
  return std::uint64_t{group} * kCallManners + static_cast<std::uint64_t>(how);
}

bool comesFromDevice(EndSource source) {
  return source == EndSource::kDeviceEvent || source > EndSource::kWait;
}

std::int64_t endOf(const WaitRecord& wait) {
  return wait.begin_ns + static_cast<std::int64_t>(wait.wait_ns);
}

}  // namespace

const char* nameOf(HangReport::State state) noexcept {
  switch (state) {
    case HangReport::State::kUnfinished:
      return "unfinished";
    case HangReport::State::kUndecided:
      return "undecided";
    case HangReport::State::kLate:
      return "late";
  }
  return "";
}

void HangWatch::addLoss() {
  for (Entry op = under_way_.begin(); op != under_way_.end();) op = forget(op);
}

void HangWatch::setLimit(std::int64_t limit_ns) {
  if (limit_ns == 0) {
    addLoss();
    late_.clear();
  }
  limit_ns_ = limit_ns;
}

void HangWatch::see(const Ring::Record& record) {
  if (record.kind == RecordKind::kRetireGroup) {
    return retired(record.as<DefinitionHead>().id);
  }
  if (limit_ns_ == 0) return;
  switch (record.kind) {
    case RecordKind::kIssue:
      return issued(record.position, record.as<IssueRecord>());
    case RecordKind::kReturn:
      return returned(record.as<ReturnRecord>());
    case RecordKind::kDone:
      return done(record.as<DoneRecord>());
    case RecordKind::kWait:
      return waited(record.as<WaitRecord>());
    case RecordKind::kReturnAndWait: {
      const auto both = record.as<ReturnAndWaitRecord>();
      returned(both.returned());
      return waited(both.waited());
    }
    case RecordKind::kRelease:
      return released(record.as<ReleaseRecord>());
    default:
      return;
  }
}

void HangWatch::issued(OpId id, const IssueRecord& issue) {
  if (last_ns_.size() >= kMostFollowed) last_ns_.clear();
  last_ns_[issue.thread] = issue.issue_ns;
  const v1::Call* call = known_.call(issue.call);
  const v1::Group* group = call ? known_.group(call->group()) : nullptr;
  if (!group || under_way_.size() >= kMostFollowed) return;
  // These do not run, or not by themselves: a batch is told of as a whole.
  const bool in_batch =
      issue.batch > 0 && call->op() != v1::OPERATION_COALESCED;
  if (in_batch || call->simulated() || call->graph_plus_1() > 0) return;
  Followed op;
  op.issue_ns = issue.issue_ns;
  op.seq = issue.seq;
  op.call = factsOf(*call);
  op.thread = issue.thread;
  const EngineTraits& engine =
      engineTraits(group->backend(), group->backend_class());
  op.on_host = engine.on_host;
  op.waits_at_once = op.on_host && call->has_async() && !call->async();
  op.shows_its_end =
      op.on_host && call->async() && !endsOnlyInWait(engine, op.call.operation);
  if (!op.on_host) {
    op.manner = mannerOf(*call);
    ++op.manner->followed;
  }
  under_way_.emplace_hint(under_way_.end(), id, op);
}

HangWatch::Manner* HangWatch::mannerOf(const v1::Call& call) {
  const CallManner how = traced::mannerOf(call);
  const std::uint64_t key = mannerKey(call.group(), how);
  Manner& manner = manners_[key];
  manner.key = key;
  manner.how = how;
  return &manner;
}

void HangWatch::retired(std::uint32_t group) {
  const std::uint64_t first = mannerKey(group, CallManner{});
  for (std::uint64_t key = first; key < first + kCallManners; ++key) {
    const auto found = manners_.find(key);
    if (found == manners_.end()) continue;
    found->second.is_retired = true;
    if (found->second.followed == 0) manners_.erase(found);
  }
}

HangWatch::Entry HangWatch::forget(Entry entry) {
  if (Manner* const manner = entry->second.manner) {
    manner->returned.erase(entry->first);
    const std::uint64_t key = manner->key;
    if (--manner->followed == 0 && manner->is_retired) manners_.erase(key);
  }
  return under_way_.erase(entry);
}

void HangWatch::returned(const ReturnRecord& record) {
  const auto entry = under_way_.find(record.op);
  if (entry == under_way_.end()) return;
  entry->second.returned = true;
  if (record.outcome != Outcome::kOk) {
    forget(entry);
    return;
  }
  Manner* const manner = entry->second.manner;
  if (!manner || entry->second.told) return;
  const bool may_be_shown =
      manner->told.reliable(manner->how) && manner->told.unasked;
  const bool is_one_too_many = manner->returned.size() >= kMostUnshown ||
                               under_way_.size() >= kMostAnywhere;
  if (!may_be_shown && is_one_too_many) {
    forget(entry);
  } else {
    manner->returned.insert(record.op);
  }
}

void HangWatch::done(const DoneRecord& record) {
  const auto entry = under_way_.find(record.op);
  if (entry == under_way_.end()) return;
  if (comesFromDevice(record.source)) learn(entry, record.source);
  if (record.outcome == Outcome::kOk) return ended(entry, record.end_ns);
  forget(entry);
}

// One before another that ended has ended, too, as a group keeps its order: if
// that was not told, what is told has holes.
void HangWatch::learn(Entry ended, EndSource source) {
  Manner* const manner = ended->second.manner;
  if (!manner) return;
  while (!manner->returned.empty() &&
         *manner->returned.begin() < ended->first) {
    forget(under_way_.find(*manner->returned.begin()));
    manner->told.hole();
  }
  manner->told.ended(source != EndSource::kDeviceWait);
}

void HangWatch::waited(const WaitRecord& record) {
  const auto entry = under_way_.find(record.op);
  if (entry == under_way_.end()) return;
  std::int64_t& last_ns = last_ns_[entry->second.thread];
  last_ns = std::max(last_ns, endOf(record));
  Followed& op = entry->second;
  op.waited = true;
  const bool failed = record.outcome != Outcome::kOk;
  if (record.saw_end && !failed) return ended(entry, endOf(record));
  const bool nothing_follows = op.on_host && !op.shows_its_end;
  if (failed || nothing_follows) forget(entry);
}

void HangWatch::released(const ReleaseRecord& record) {
  const auto entry = under_way_.find(record.op);
  if (entry == under_way_.end()) return;
  const Followed& op = entry->second;
  if (op.on_host && !op.shows_its_end) forget(entry);
}

void HangWatch::ended(Entry entry, std::int64_t end_ns) {
  const Followed& op = entry->second;
  const std::int64_t took_ns = end_ns - op.issue_ns;
  if (took_ns >= limit_ns_ && !op.passed_over && late_.size() < kMostLate) {
    late_.push_back(
        reportOf(entry->first, op, HangReport::State::kLate, took_ns));
  }
  forget(entry);
}

bool HangWatch::endIsSeen(const Followed& op) const {
  if (!op.manner) return op.shows_its_end;
  const ReportedEnds& told = op.manner->told;
  return told.reliable(op.manner->how) && (told.unasked || op.waited);
}

bool HangWatch::threadIsSilent(const Followed& op,
                               std::int64_t since_ns) const {
  const auto last = last_ns_.find(op.thread);
  return last != last_ns_.end() && last->second <= since_ns;
}

std::vector<HangReport> HangWatch::take(std::int64_t now_ns) {
  std::vector<HangReport> reports = std::exchange(late_, {});
  const std::int64_t since_ns = now_ns - limit_ns_;
  std::unordered_set<std::uint32_t> hanging;
  std::unordered_set<std::uint32_t> undecided;
  for (Entry entry = under_way_.begin(); entry != under_way_.end();) {
    auto& [id, op] = *entry;
    if (op.issue_ns > since_ns) break;
    const bool nothing_shows = op.returned && !op.on_host && !endIsSeen(op);
    if (nothing_shows) {
      entry = forget(entry);
      continue;
    }
    ++entry;
    const bool hangs = !op.returned || endIsSeen(op) || op.waits_at_once;
    if (!hangs && !threadIsSilent(op, since_ns)) continue;
    const bool is_first =
        (hangs ? hanging : undecided).insert(op.call.group).second;
    if (op.told || op.passed_over) continue;
    (is_first ? op.told : op.passed_over) = true;
    if (!is_first) continue;
    if (op.manner) op.manner->returned.erase(id);
    reports.push_back(reportOf(
        id, op,
        hangs ? HangReport::State::kUnfinished : HangReport::State::kUndecided,
        now_ns - op.issue_ns));
  }
  return reports;
}

HangReport HangWatch::reportOf(OpId id, const Followed& op,
                               HangReport::State state,
                               std::int64_t took_ns) const {
  return {tellOperation(id, op.call, op.seq, op.issue_ns, known_), state,
          took_ns};
}

}  // namespace traced
