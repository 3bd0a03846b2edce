#include "analysis/time_split/ready_row.h"

#include <algorithm>
#include <limits>

namespace traced {

void LatestByClock::add(std::int64_t own_ns, std::int64_t certified_ns,
                        std::uint32_t clock) {
  for (One& one : latest_) {
    if (!one.any) {
      one = {own_ns, certified_ns, clock, true};
      return;
    }
    if (one.clock == clock) {
      one.own_ns = std::max(one.own_ns, own_ns);
      one.certified_ns = std::max(one.certified_ns, certified_ns);
      return;
    }
  }
  One& behind = latest_[latest_[1].certified_ns < latest_[0].certified_ns];
  if (behind.certified_ns < certified_ns) {
    behind = {own_ns, certified_ns, clock, true};
  }
}

CertifiedTime ReadyRow::lastAfter(const CommonInstant& instant) const {
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
  time.ns = last.clock == instant.clock ? last.own_ns - instant.own_ns
                                        : last.ns - instant.ns;
  time.ns = std::min(std::max(time.ns, time.low_ns), time.high_ns);
  return time;
}

bool ReadyRow::isLastCertain() const {
  // If the second last is on another clock, no other rank on this clock is
  // later than it.
  if (joined > 1 && before_last.clock == last.clock &&
      last.own_ns - last.early_ns < before_last.own_ns) {
    return false;
  }
  const auto others = latest_by_clock.all();
  return std::all_of(others.begin(), others.end(), [&](const auto& one) {
    return one.clock == last.clock ||
           one.certified_ns <= last.certified.low_ns - last.early_ns;
  });
}

void ReadyRow::addParticipant(const CommonInstant& instant) {
  const CertifiedNs ready{instant.certified.low_ns - instant.early_ns,
                          instant.certified.high_ns};
  ++present;
  if (present == 1 || ready.high_ns > latest.high_ns) {
    before_latest = present == 1 ? ready : latest;
    latest = ready;
  } else if (present == 2 || ready.high_ns > before_latest.high_ns) {
    before_latest = ready;
  }
}

void ReadyRow::join(const CommonInstant& ready, std::uint32_t rank) {
  ++joined;
  if (joined == 1 || ready.ns > last.ns) {
    before_last = last;
    last = ready;
    last_rank = rank;
  } else if (joined == 2 || ready.ns > before_last.ns) {
    before_last = ready;
  }
  earliest.add(ready.own_ns - ready.early_ns,
               ready.certified.low_ns - ready.early_ns, ready.clock);
  latest_by_clock.add(ready.own_ns, ready.certified.high_ns, ready.clock);
}

std::int64_t ReadyRow::lastBeforeNs(const MatchedCall& call,
                                    CertifiedNs end) const {
  if (present != call.parts) return end.high_ns;
  // A rank that was ready only after the end was not waited for.
  for (const CertifiedNs& ready : {latest, before_latest}) {
    if (ready.low_ns <= end.high_ns)
      return std::min(ready.high_ns, end.high_ns);
  }
  return end.high_ns;
}

}  // namespace traced
