#include "analysis/diagnosis/collective_table.h"

#include <algorithm>

namespace traced {

void CollectiveTable::startMember(std::uint32_t rank) {
  members_.emplace_back().rank = rank;
  next_ = 0;
}

void CollectiveTable::join(const Joining& joining) {
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

  Collective& collective = place(seq);
  if (collective.joined == 0) {
    collective.signature = joining.signature;
  } else if (collective.variants != Collective::kAgreed ||
             collective.signature != joining.signature) {
    addVariant(collective, joining.signature);
  }
  ++collective.joined;
  if (joining.gives_splits) {
    ++collective.split_givers;
    collective.split_sum += joining.split_share;
  }
  switch (joining.reached) {
    case Reached::kEnded:
      ++collective.ended;
      break;
    case Reached::kFailed:
      ++collective.failed;
      member.failed.add(seq);
      break;
    case Reached::kInside:
      member.inside.add(seq);
      break;
    case Reached::kNotObserved:
      member.not_observed.add(seq);
      break;
  }
}

// Ranks mostly call the same, so the next one is tried before it is looked up.
Collective& CollectiveTable::place(std::uint64_t seq) {
  if (next_ >= collectives_.size() || collectives_[next_].seq != seq) {
    const auto end = static_cast<std::uint32_t>(collectives_.size());
    const auto [place, is_new] = index_by_seq_.try_emplace(seq, end);
    if (is_new) collectives_.emplace_back().seq = seq;
    next_ = place->second;
  }
  return collectives_[next_++];
}

void CollectiveTable::addVariant(Collective& collective,
                                 std::uint32_t signature) {
  const std::uint32_t rank = members_.back().rank;
  if (collective.variants == Collective::kAgreed) {
    Variant agreed;
    agreed.signature = collective.signature;
    for (const MemberProgress& member : members_) {
      if (member.rank == rank || !member.joined(collective.seq)) continue;
      agreed.ranks.add(member.rank);
      ++agreed.count;
    }
    collective.variants = static_cast<std::uint32_t>(variants_.size());
    variants_.push_back({std::move(agreed)});
  }
  std::vector<Variant>& variants = variants_[collective.variants];
  auto same =
      std::find_if(variants.begin(), variants.end(),
                   [&](const Variant& v) { return v.signature == signature; });
  if (same == variants.end()) {
    same = variants.insert(same, Variant{signature, 0, {}});
  }
  ++same->count;
  same->ranks.add(rank);
}

void CollectiveTable::finish() {
  std::sort(
      collectives_.begin(), collectives_.end(),
      [](const Collective& a, const Collective& b) { return a.seq < b.seq; });
  index_by_seq_ = {};
}

const MemberProgress* CollectiveTable::member(std::uint32_t rank) const {
  const auto found = std::lower_bound(
      members_.begin(), members_.end(), rank,
      [](const MemberProgress& m, std::uint32_t r) { return m.rank < r; });
  return found != members_.end() && found->rank == rank ? &*found : nullptr;
}

const Collective* CollectiveTable::find(std::uint64_t seq) const {
  const auto found = std::lower_bound(
      collectives_.begin(), collectives_.end(), seq,
      [](const Collective& c, std::uint64_t s) { return c.seq < s; });
  return found != collectives_.end() && found->seq == seq ? &*found : nullptr;
}

std::vector<Variant> CollectiveTable::variantsOf(
    const Collective& collective) const {
  if (collective.variants != Collective::kAgreed) {
    return variants_[collective.variants];
  }
  Variant all;
  all.signature = collective.signature;
  for (const MemberProgress& member : members_) {
    if (!member.joined(collective.seq)) continue;
    all.ranks.add(member.rank);
    ++all.count;
  }
  return {std::move(all)};
}

std::uint32_t CollectiveTable::signatureOn(const Collective& collective,
                                           std::uint32_t rank) const {
  const MemberProgress* progress = member(rank);
  if (!progress || !progress->joined(collective.seq)) {
    return Collective::kAgreed;
  }
  if (collective.variants == Collective::kAgreed) return collective.signature;
  for (const Variant& variant : variants_[collective.variants]) {
    if (variant.ranks.contains(rank)) return variant.signature;
  }
  return Collective::kAgreed;
}

}  // namespace traced
