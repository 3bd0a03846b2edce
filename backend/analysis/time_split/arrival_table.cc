#include "analysis/time_split/arrival_table.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "trace_io/wrapping.h"

namespace traced {
namespace {

void bePresent(ArrivalTable::Row& row, CertifiedNs ready) {
  ++row.present;
  if (row.present == 1 || ready.high_ns > row.latest.high_ns) {
    row.before_latest = row.present == 1 ? ready : row.latest;
    row.latest = ready;
  } else if (row.present == 2 || ready.high_ns > row.before_latest.high_ns) {
    row.before_latest = ready;
  }
}

}  // namespace

void LatestByClock::add(std::int64_t own_ns, std::int64_t certified_ns,
                        std::uint32_t clock) {
  One* const end = latest_ + count_;
  One* place = std::find_if(latest_, end,
                            [&](const One& one) { return one.clock == clock; });
  if (place != end) {
    place->own_ns = std::max(place->own_ns, own_ns);
    place->certified_ns = std::max(place->certified_ns, certified_ns);
  } else if (count_ < std::size(latest_)) {
    latest_[count_++] = {own_ns, certified_ns, clock};
  } else {
    place = std::min_element(latest_, end, [](const One& a, const One& b) {
      return a.certified_ns < b.certified_ns;
    });
    if (place->certified_ns < certified_ns) {
      *place = {own_ns, certified_ns, clock};
    }
  }
}

CertifiedTime ArrivalTable::Row::lastAfter(const CommonInstant& instant) const {
  const auto after = [&](const LatestByClock& ranks,
                         std::int64_t certified_ns) {
    std::int64_t ns = std::numeric_limits<std::int64_t>::min();
    for (const auto& one : ranks.all()) {
      ns = std::max(ns, one.clock == instant.clock
                            ? one.own_ns - instant.own_ns
                            : one.certified_ns - certified_ns);
    }
    return ns;
  };
  CertifiedTime time;
  time.low_ns = after(earliest, instant.certified.high_ns);
  time.high_ns = after(latest_by_clock, instant.certified.low_ns);
  time.ns = last.ready.clock == instant.clock
                ? last.ready.own_ns - instant.own_ns
                : last.ready.ns - instant.ns;
  time.ns = std::min(std::max(time.ns, time.low_ns), time.high_ns);
  return time;
}

bool ArrivalTable::Row::isLastCertain() const {
  const CommonInstant& ready = last.ready;
  const CommonInstant& before = before_last.ready;
  // Where that one is of another clock, so is none of this one's behind it.
  if (arrived > 1 && before.clock == ready.clock &&
      ready.own_ns - ready.early_ns < before.own_ns) {
    return false;
  }
  const auto others = latest_by_clock.all();
  return std::all_of(others.begin(), others.end(), [&](const auto& one) {
    return one.clock == ready.clock ||
           one.certified_ns <= ready.certified.low_ns - ready.early_ns;
  });
}

std::optional<CommonInstant> ArrivalTable::common(const ClockCursor& clock,
                                                  std::uint32_t clock_id,
                                                  Instant at,
                                                  Instant earliest) {
  auto instant = common(clock, clock_id, at);
  const auto early_ns = between(earliest, at);
  if (!instant || !early_ns || *early_ns >= kLatestNs) return std::nullopt;
  instant->early_ns = static_cast<std::int64_t>(*early_ns);
  return instant;
}

std::optional<CommonInstant> ArrivalTable::common(const ClockCursor& clock,
                                                  std::uint32_t clock_id,
                                                  Instant instant) {
  if (!instant.known() || !differencesFit(instant.ns())) return std::nullopt;
  const auto certified = clock.certifiedNs(instant.ns());
  if (!certified || !differencesFit(certified->low_ns) ||
      !differencesFit(certified->high_ns)) {
    return std::nullopt;
  }
  return CommonInstant{
      std::clamp(clock.commonNs(instant.ns()), certified->low_ns,
                 std::max(certified->low_ns, certified->high_ns)),
      instant.ns(), *certified, clock_id};
}

void ArrivalTable::add(const OwnArrivals& arrivals, const v1::ClockModel& clock,
                       std::uint32_t clock_id) {
  const ClockCursor cursor(clock);
  std::vector<OperationIndex::Numbers*> of_call(arrivals.calls().size());
  for (const OwnArrivals::Part& part : arrivals.parts()) {
    const MatchedCall& call = arrivals.calls()[part.call];
    OperationIndex::Numbers*& numbers = of_call[part.call];
    if (!numbers) numbers = &index_.numbersOf(call.key);
    const auto next = static_cast<std::uint32_t>(rows_.size());
    const std::uint32_t index = OperationIndex::at(*numbers, part.seq, next);
    if (index == next) rows_.emplace_back().signature = call.signature;
    Row& row = rows_[index];
    ++row.parts;
    row.unusable |= part.failed || row.signature != call.signature;
    const auto ready = common(cursor, clock_id, part.at, part.earliest);
    if (!ready) continue;
    bePresent(row, {ready->certified.low_ns - ready->early_ns,
                    ready->certified.high_ns});
    if (call.role.proven) arrive(row, {*ready, arrivals.rank()});
  }
}

void ArrivalTable::arrive(Row& row, const Arrival& arrival) {
  ++row.arrived;
  const CommonInstant& ready = arrival.ready;
  if (row.arrived == 1 || ready.ns > row.last.ready.ns) {
    row.before_last = row.last;
    row.last = arrival;
  } else if (row.arrived == 2 || ready.ns > row.before_last.ready.ns) {
    row.before_last = arrival;
  }
  row.earliest.add(ready.own_ns - ready.early_ns,
                   ready.certified.low_ns - ready.early_ns, ready.clock);
  row.latest_by_clock.add(ready.own_ns, ready.certified.high_ns, ready.clock);
  first_ns_ = any_ ? std::min(first_ns_, arrival.ready.ns) : arrival.ready.ns;
  last_ns_ = any_ ? std::max(last_ns_, arrival.ready.ns) : arrival.ready.ns;
  any_ = true;
}

std::int64_t ArrivalTable::Row::lastBeforeNs(const MatchedCall& call,
                                             CertifiedNs end) const {
  if (present != call.parts) return end.high_ns;
  // Who was only ready behind the end was not waited for.
  for (const CertifiedNs& ready : {latest, before_latest}) {
    if (ready.low_ns <= end.high_ns)
      return std::min(ready.high_ns, end.high_ns);
  }
  return end.high_ns;
}

}  // namespace traced
