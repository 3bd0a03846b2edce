#include "analysis/live/order_watch.h"

#include <utility>

namespace traced {
namespace {

constexpr std::size_t kMostParts = 1024;

}  // namespace

bool OrderWatch::isNews(std::uint32_t group, std::uint64_t seq,
                        std::uint64_t signature, const Caller& caller) {
  if (groups_.size() <= group) groups_.resize(group + 1);
  Group& watched = groups_[group];
  if (watched.diverged > 0) {
    return divergences_[watched.diverged - 1].seq == seq;
  }
  if (watched.entries.empty()) watched.entries.resize(kWindow);
  Entry& entry = watched.entries[seq % kWindow];
  // A rank that is far behind is compared with none.
  if (seq < entry.seq) return false;
  if (seq > entry.seq) {
    entry = {seq, signature, caller};
    return false;
  }
  if (entry.signature == signature) return false;
  divergences_.push_back({group, seq, {}});
  watched.diverged = divergences_.size();
  return true;
}

OrderWatch::Caller OrderWatch::firstOf(std::uint32_t group) const {
  const Group& watched = groups_[group];
  const std::uint64_t seq = divergences_[watched.diverged - 1].seq;
  return watched.entries[seq % kWindow].caller;
}

void OrderWatch::add(std::uint32_t group, std::uint64_t seq, Part part) {
  if (group >= groups_.size() || groups_[group].diverged == 0) return;
  Divergence& divergence = divergences_[groups_[group].diverged - 1];
  if (divergence.seq != seq || divergence.parts.size() >= kMostParts) return;
  for (const Part& known : divergence.parts) {
    if (known.rank == part.rank) return;
  }
  divergence.parts.push_back(std::move(part));
}

}  // namespace traced
