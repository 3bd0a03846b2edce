#include "recorder/watch/hang_watch.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/engine_traits.h"
#include "ring_io/chunks/record_rows.h"

namespace traced {

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

void HangWatch::update(const Ring::Record& record) {
  if (record.kind == RecordKind::kRetireGroup) {
    return retired(record.as<DefinitionHead>().id);
  }
  if (limit_ns_ == 0) return;
  forEachRow(record, [this](const auto& row) { add(row); });
}

void HangWatch::add(const IssueRow& row) {
  if (last_ns_.size() >= kMaxFollowed) last_ns_.clear();
  last_ns_[row.thread] = row.issue_ns;
  const v1::Call* call = known_.call(row.call);
  const v1::Group* group = call ? known_.group(call->group()) : nullptr;
  if (!group || under_way_.size() >= kMaxFollowed) return;
  const EngineTraits& engine =
      engineTraits(group->backend(), group->backend_class());
  Followed op;
  op.shown = endShownBy(*call, engine, row.batch > 0);
  if (op.shown == EndShownBy::kNothing) return;
  op.id = row.op;
  op.apply(row);
  op.call = factsOf(*call);
  op.thread = row.thread;
  op.waits_at_once = engine.on_host && call->has_async() && !call->async();
  if (op.shown == EndShownBy::kReports) {
    op.mode = modeOf(*call);
    ++op.mode->followed;
  }
  under_way_.emplace_hint(under_way_.end(), op.id, op);
}

HangWatch::ModeCalls* HangWatch::modeOf(const v1::Call& call) {
  const CallMode how = traced::modeOf(call);
  const std::uint64_t key = modeKey(call.group(), how);
  return &modes_.try_emplace(key, key, how).first->second;
}

void HangWatch::retired(std::uint32_t group) {
  const std::uint64_t first = modeKey(group, CallMode{});
  for (std::uint64_t key = first; key < first + kCallModes; ++key) {
    const auto found = modes_.find(key);
    if (found == modes_.end()) continue;
    found->second.is_retired = true;
    if (found->second.followed == 0) modes_.erase(found);
  }
}

HangWatch::Entry HangWatch::forget(Entry entry) {
  if (ModeCalls* const mode = entry->second.mode) {
    mode->calls.forget(entry->first);
    const std::uint64_t key = mode->key;
    if (--mode->followed == 0 && mode->is_retired) modes_.erase(key);
  }
  return under_way_.erase(entry);
}

template <ProgressRow Row>
void HangWatch::add(const Row& row) {
  const auto entry = under_way_.find(row.op);
  if (entry == under_way_.end()) return;
  Followed& op = entry->second;
  op.apply(row);
  if constexpr (std::is_same_v<Row, WaitRow>) {
    std::int64_t& last_ns = last_ns_[op.thread];
    last_ns = std::max(last_ns, row.endNs());
  }
  if (op.mode) {
    ReportedCalls& calls = op.mode->calls;
    if constexpr (std::is_same_v<Row, DoneRow>) {
      learn(row, op, calls,
            [this](OpId hole) { forget(under_way_.find(hole)); });
    } else if constexpr (std::is_same_v<Row, ReturnRow>) {
      const bool is_news = !op.reported && !op.failed;
      if (is_news && !hasRoomFor(op)) return void(forget(entry));
      if (is_news) learn(row, op, calls);
    } else {
      learn(row, op, calls);
    }
  }
  if (op.ended.known() && !op.failed) noteLate(op);
  const bool nothing_follows = !op.mode && inFlight(op) == InFlight::kNo;
  if (op.failed || op.ended.known() || nothing_follows) forget(entry);
}

bool HangWatch::hasRoomFor(const Followed& op) const {
  const ReportedCalls& calls = op.mode->calls;
  return calls.reportsAll() ||
         (!calls.isFull() && under_way_.size() < kMaxUnshown);
}

void HangWatch::noteLate(const Followed& op) {
  const std::int64_t took_ns = op.ended.ns() - op.issued.ns();
  if (took_ns >= limit_ns_ && !op.passed_over && late_.size() < kMaxLate) {
    late_.push_back(reportOf(op, HangReport::State::kLate, took_ns));
  }
}

InFlight HangWatch::inFlight(const Followed& op) {
  return op.inFlight(op.shown, op.mode ? &op.mode->calls : nullptr, false);
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
    if (op.issued.ns() > since_ns) break;
    if (inFlight(op) != InFlight::kYes) {
      entry = forget(entry);
      continue;
    }
    ++entry;
    const bool hangs = !op.returned.known() || op.waits_at_once ||
                       op.shown != EndShownBy::kWait;
    if (!hangs && !threadIsSilent(op, since_ns)) continue;
    const bool is_first =
        (hangs ? hanging : undecided).insert(op.call.group).second;
    if (op.reported || op.passed_over) continue;
    (is_first ? op.reported : op.passed_over) = true;
    if (!is_first) continue;
    if (op.mode) op.mode->calls.forget(id);
    reports.push_back(reportOf(
        op,
        hangs ? HangReport::State::kUnfinished : HangReport::State::kUndecided,
        now_ns - op.issued.ns()));
  }
  return reports;
}

HangReport HangWatch::reportOf(const Followed& op, HangReport::State state,
                               std::int64_t took_ns) const {
  return {summarize(op.id, op.call, op.seq, op.issued.ns(), known_), state,
          took_ns};
}

}  // namespace traced
