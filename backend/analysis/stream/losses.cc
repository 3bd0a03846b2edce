#include "analysis/stream/losses.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/names.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

std::string byReason(
    const absl::btree_map<std::string, std::uint64_t>& dropped) {
  return absl::StrJoin(dropped, ", ", [](std::string* out, const auto& drop) {
    absl::StrAppend(out, drop.first, " ", drop.second);
  });
}

}  // namespace

void Losses::Tally::add(std::uint32_t rank, std::uint64_t amount) {
  if (amount == 0) return;
  total += amount;
  ranks.push_back(rank);
}

std::string Losses::Tally::on() const {
  return absl::StrCat(" on ", ranksText(ranks));
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
  left_out_rings_ |= table.ring == RingState::kNotLooked;
}

// Shared memory is seen only on the host, and only in the container, in which
// the process ran.
std::string Losses::elsewhereText() const {
  constexpr std::size_t kMostTold = 8;
  const std::size_t told = std::min(kMostTold, elsewhere_.size());
  const auto end =
      std::next(elsewhere_.begin(), static_cast<std::ptrdiff_t>(told));
  std::string hosts = absl::StrJoin(elsewhere_.begin(), end, ", ");
  if (told < elsewhere_.size()) {
    absl::StrAppend(&hosts, " and ", elsewhere_.size() - told, " more");
  }
  return absl::StrCat(
      "; it may be in shared memory of host ", hosts,
      ", or of a container there, where `tracectl recover` brings it back,");
}

bool Losses::any() const {
  return dropped_ranks_.total || missing_.total || refused_bytes_.total ||
         skipped_.total || broken_.total || overlapping_.total || gaps_.total ||
         refused_groups_.total || not_in_dump_.total;
}

std::vector<std::string> Losses::sentences() const {
  std::vector<std::string> sentences;
  const auto say = [&](const Tally& tally, const auto&... words) {
    if (tally.total) sentences.push_back(absl::StrCat(words..., tally.on()));
  };
  say(dropped_ranks_, dropped_ranks_.total,
      " records dropped while recording (", byReason(dropped_), ")");
  say(missing_, missing_.total, " records written but not found");
  say(gaps_, gaps_.total, " gaps between chunks");
  say(refused_bytes_, refused_bytes_.total,
      " bytes of chunks refused for their content");
  say(skipped_, skipped_.total, " chunks compressed in an unknown way");
  say(broken_, broken_.total, " chunks whose columns differ in length");
  say(overlapping_, overlapping_.total, " chunks that overlap others ignored");
  say(refused_groups_, refused_groups_.total,
      " groups refused for impossible members");
  say(not_in_dump_, not_in_dump_.total,
      " records overwritten before the dump, or left out of it");
  say(recovered_, "killed; the last records were recovered");
  say(from_dead_ring_,
      "killed; the last records were read from shared memory, and `tracectl "
      "recover` puts them into the files");
  say(running_, "still running; what was recorded until now was read");
  say(cut_short_,
      "not closed (killed, still running, or the end of the file is lost), so "
      "how much is missing at the end is unknown",
      left_out_rings_ ? " from the files alone" : elsewhereText());
  say(snapshot_,
      "Flight Recorder dumps, which end when they were made: what came after "
      "is unknown");
  return sentences;
}

}  // namespace traced
