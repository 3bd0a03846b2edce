#include "analysis/stream/losses.h"

#include "analysis/stream/names.h"

namespace traced {
void Losses::Tally::add(std::uint32_t rank, std::uint64_t amount) {
  if (amount == 0) return;
  total += amount;
  ranks.push_back(rank);
}

void Losses::add(const StreamTable& table) {
  const std::uint32_t rank = table.header.rank();
  produced_ += table.accounts.produced();
  stored_ += table.accounts.stored();
  found_ += table.rows_found;
  for (const v1::Drop& drop : table.accounts.drop()) {
    if (drop.records() > 0) dropped_[nameOf(drop.reason())] += drop.records();
  }
  dropped_ranks_.add(rank, table.dropped());
  missing_.add(rank, table.missing());
  refused_bytes_.add(rank, table.refused_bytes);
  skipped_.add(rank, table.skipped_chunks);
  broken_.add(rank, table.broken_tables);
  overlapping_.add(rank, table.overlapping_chunks);
  gaps_.add(rank, table.gaps);
  refused_groups_.add(rank, table.definitions.refusedGroups().size());
  not_closed_.add(rank, table.closed ? 0 : 1);
  const bool recovered = !table.closed && table.accounts.recovered();
  const bool from_ring = recovered && table.from_ring_ns;
  recovered_.add(rank, recovered && !from_ring ? 1 : 0);
  from_dead_ring_.add(rank, from_ring ? 1 : 0);
  running_.add(rank, table.stillRunning() ? 1 : 0);
  not_in_dump_.add(rank, table.not_in_dump);
  snapshot_.add(rank, table.snapshot ? 1 : 0);
  if (table.endKnown()) return;
  end_unknown_.push_back(rank);
  if (table.snapshot) return;
  cut_short_.add(rank, 1);
  elsewhere_.insert(table.header.host());
  left_out_rings_ |= table.ring == RingState::kNotPolled;
}

bool Losses::any() const {
  return dropped_ranks_.total || missing_.total || refused_bytes_.total ||
         skipped_.total || broken_.total || overlapping_.total || gaps_.total ||
         refused_groups_.total || not_in_dump_.total;
}

std::vector<Loss> Losses::all() const {
  using What = Loss::What;
  std::vector<Loss> losses;
  const auto add = [&losses](What what, const Tally& tally) {
    if (tally.total) losses.push_back({what, tally.total, tally.ranks, {}, {}});
  };
  add(What::kDropped, dropped_ranks_);
  if (!losses.empty()) losses.back().reasons = dropped_;
  add(What::kMissing, missing_);
  add(What::kGaps, gaps_);
  add(What::kRefusedBytes, refused_bytes_);
  add(What::kUnknownCompression, skipped_);
  add(What::kBrokenTables, broken_);
  add(What::kOverlapping, overlapping_);
  add(What::kRefusedGroups, refused_groups_);
  add(What::kNotInDump, not_in_dump_);
  add(What::kRecovered, recovered_);
  add(What::kFromDeadRing, from_dead_ring_);
  add(What::kRunning, running_);
  add(What::kCutShort, cut_short_);
  if (cut_short_.total > 0 && !left_out_rings_) {
    losses.back().hosts.assign(elsewhere_.begin(), elsewhere_.end());
  }
  add(What::kSnapshot, snapshot_);
  return losses;
}

}  // namespace traced
