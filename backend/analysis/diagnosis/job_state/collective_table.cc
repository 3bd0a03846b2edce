#include "analysis/diagnosis/job_state/collective_table.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace traced {

namespace {

std::uint64_t firstIn(const SeqRanges& ranges, std::uint64_t beyond) {
  for (const SeqRanges::Range& range : ranges.ranges()) {
    if (range.last > beyond) return std::max(range.first, beyond + 1);
  }
  return 0;
}

}  // namespace

std::uint64_t MemberProgress::firstUnended() const {
  if (!counters) return firstIn(inside, 0);
  return counters->completed < lastCalled() ? counters->completed + 1 : 0;
}

std::uint64_t MemberProgress::lastEnded() const {
  std::uint64_t ended = last;
  for (const SeqRanges* not_ended : {&inside, &failed, &not_observed}) {
    if (const std::uint64_t seq = firstIn(*not_ended, 0)) {
      ended = std::min(ended, seq - 1);
    }
  }
  return first > 0 && ended >= first ? ended : 0;
}

bool MemberProgress::isInside(std::uint64_t seq) const {
  if (!counters) return inside.contains(seq);
  return seq > counters->completed && seq <= lastCalled() &&
         !failed.contains(seq);
}

void CollectiveTable::count(const std::vector<CountedRank>& counted) {
  // A watchdog counts an end later than the recorder sees it. Without the
  // records of one rank, more ends of the others would single that one out.
  const bool all_recorded = std::all_of(
      counted.begin(), counted.end(), [this](const CountedRank& one) {
        const MemberProgress* known = member(one.rank);
        return known && known->last >= one.counters.enqueued;
      });
  for (const CountedRank& one : counted) {
    MemberProgress& member = memberOf(one.rank);
    member.counters = one.counters;
    if (all_recorded) {
      std::uint64_t& completed = member.counters->completed;
      completed = std::max(completed, member.lastEnded());
    }
  }
}

MemberProgress& CollectiveTable::memberOf(std::uint32_t rank) {
  const auto place = std::lower_bound(
      members_.begin(), members_.end(), rank,
      [](const MemberProgress& m, std::uint32_t r) { return m.rank < r; });
  if (place != members_.end() && place->rank == rank) return *place;
  MemberProgress& member = *members_.insert(place, MemberProgress{});
  member.rank = rank;
  return member;
}

void CollectiveTable::joinSlowPath(const Joining& joining) {
  MemberProgress& member = members_.back();
  const std::uint64_t seq = joining.seq;
  if (member.first == 0) {
    member.first = seq;
  } else if (seq <= member.last) {
    return;
  } else if (seq > member.last + 1) {
    member.holes.add(member.last + 1, seq - 1);
  }
  member.last = seq;

  std::uint32_t& called = signatures_.at(seq);
  if (called == kNew) {
    called = joining.signature + 1;
  } else if (called != joining.signature + 1) {
    dispute(seq, called, joining.signature);
    called = kDisputed;
  }
  if (joining.gives_splits) {
    SplitSum& splits = splits_.at(seq);
    ++splits.givers;
    splits.sum += joining.split_share;
  }
  switch (joining.reached) {
    case Reached::kEnded:
      break;
    case Reached::kFailed:
      member.failed.add(seq);
      break;
    case Reached::kInside:
    case Reached::kPerhapsInside:
      member.inside.add(seq);
      break;
    case Reached::kUnseen:
      member.unseen.add(seq);
      member.not_observed.add(seq);
      break;
    case Reached::kNotObserved:
      member.not_observed.add(seq);
      break;
  }
}

void CollectiveTable::dispute(std::uint64_t seq, std::uint32_t called,
                              std::uint32_t signature) {
  const std::uint32_t rank = members_.back().rank;
  std::vector<Variant>& variants = disputes_[seq];
  if (called != kDisputed) {
    Variant& agreed = variants.emplace_back();
    agreed.signature = called - 1;
    for (const MemberProgress& member : members_) {
      if (member.rank == rank || !member.joined(seq)) continue;
      agreed.ranks.add(member.rank);
      ++agreed.count;
    }
  }
  auto same =
      std::find_if(variants.begin(), variants.end(),
                   [&](const Variant& v) { return v.signature == signature; });
  if (same == variants.end()) {
    same = variants.insert(same, Variant{signature, 0, {}});
  }
  ++same->count;
  same->ranks.add(rank);
}

const MemberProgress* CollectiveTable::member(std::uint32_t rank) const {
  const auto found = std::lower_bound(
      members_.begin(), members_.end(), rank,
      [](const MemberProgress& m, std::uint32_t r) { return m.rank < r; });
  return found != members_.end() && found->rank == rank ? &*found : nullptr;
}

bool CollectiveTable::severalJoined(std::uint64_t seq) const {
  const auto joined = [seq](const MemberProgress& member) {
    return member.joined(seq);
  };
  const auto one = std::find_if(members_.begin(), members_.end(), joined);
  return one != members_.end() &&
         std::any_of(std::next(one), members_.end(), joined);
}

std::uint32_t CollectiveTable::signatureOf(std::uint64_t seq) const {
  const std::uint32_t* called = signatures_.find(seq);
  if (!called) return kNoSignature;
  return *called == kDisputed ? disputes_.at(seq).front().signature
                              : *called - 1;
}

std::vector<std::uint32_t> CollectiveTable::distinctSignatures() const {
  absl::flat_hash_set<std::uint32_t> distinct;
  signatures_.forEach([&](std::uint64_t, std::uint32_t called) {
    if (called != kNew && called != kDisputed) distinct.insert(called - 1);
  });
  for (const auto& [seq, variants] : disputes_) {
    for (const Variant& variant : variants) distinct.insert(variant.signature);
  }
  std::vector<std::uint32_t> sorted(distinct.begin(), distinct.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::uint32_t CollectiveTable::signatureOn(std::uint64_t seq,
                                           std::uint32_t rank) const {
  const MemberProgress* progress = member(rank);
  if (!progress || !progress->joined(seq)) return kNoSignature;
  const auto disputed = disputes_.find(seq);
  if (disputed == disputes_.end()) return signatureOf(seq);
  for (const Variant& variant : disputed->second) {
    if (variant.ranks.contains(rank)) return variant.signature;
  }
  return kNoSignature;
}

}  // namespace traced
