#include "analysis/live/order_watch.h"

#include <algorithm>
#include <utility>

namespace traced {
namespace {

constexpr std::size_t kMaxParts = 1024;

}  // namespace

bool OrderWatch::addCall(std::uint32_t group, std::uint64_t seq,
                         std::uint64_t signature) {
  if (groups_.size() <= group) groups_.resize(group + 1);
  Group& watched = groups_[group];
  if (watched.diverged > 0) {
    Divergence& known = divergences_[watched.diverged - 1];
    if (known.seq <= seq) return known.seq == seq;
    // A rank that lags behind may differ at an earlier number.
    const auto first = signatureAt(group, seq);
    if (!first || *first == signature) return false;
    known = {group, seq, {}};
    return true;
  }
  if (watched.entries.empty()) watched.entries.resize(kWindow);
  Entry& entry = watched.entries[seq % kWindow];
  // A rank that is far behind is not compared.
  if (seq < entry.seq) return false;
  if (seq > entry.seq) {
    entry = {seq, signature};
    watched.newest = std::max(watched.newest, seq);
    return false;
  }
  if (entry.signature == signature) return false;
  divergences_.push_back({group, seq, {}});
  watched.diverged = divergences_.size();
  return true;
}

bool OrderWatch::dispute(std::uint32_t group, std::uint64_t seq) {
  if (!signatureAt(group, seq)) return false;
  Group& watched = groups_[group];
  if (watched.diverged == 0) {
    divergences_.push_back({group, seq, {}});
    watched.diverged = divergences_.size();
    return true;
  }
  Divergence& known = divergences_[watched.diverged - 1];
  if (known.seq <= seq) return false;
  known = {group, seq, {}};
  return true;
}

std::optional<std::uint64_t> OrderWatch::signatureAt(std::uint32_t group,
                                                     std::uint64_t seq) const {
  if (group >= groups_.size() || groups_[group].entries.empty() || seq == 0) {
    return std::nullopt;
  }
  const Entry& entry = groups_[group].entries[seq % kWindow];
  if (entry.seq != seq) return std::nullopt;
  return entry.signature;
}

std::uint64_t OrderWatch::newest(std::uint32_t group) const {
  return group < groups_.size() ? groups_[group].newest : 0;
}

void OrderWatch::add(std::uint32_t group, std::uint64_t seq, Part part) {
  if (group >= groups_.size() || groups_[group].diverged == 0) return;
  Divergence& divergence = divergences_[groups_[group].diverged - 1];
  if (divergence.seq != seq || divergence.parts.size() >= kMaxParts) return;
  for (const Part& known : divergence.parts) {
    if (known.rank == part.rank) return;
  }
  divergence.parts.push_back(std::move(part));
}

}  // namespace traced
