#include "analysis/stream/rank_list.h"

#include <limits>

#include "absl/strings/str_cat.h"

namespace traced {
namespace {

bool isRank(std::int64_t number) {
  return number >= 0 && number <= std::numeric_limits<std::uint32_t>::max();
}

std::string runText(const RankList::Run& run) {
  if (run.count == 1) return absl::StrCat(run.first);
  const std::int64_t last = run.at(run.count - 1);
  if (run.stride == 1) return absl::StrCat(run.first, "-", last);
  if (run.count == 2) return absl::StrCat(run.first, ",", last);
  return absl::StrCat(run.first, "-", last, "/", run.stride);
}

}  // namespace

std::optional<RankList> RankList::fromGroup(const v1::Group& group) {
  if (group.size() > kMaxGroupSize) return std::nullopt;
  std::uint64_t total = 0;
  for (const v1::RankRange& range : group.member()) {
    total += range.count();
    const Run run{range.first(), range.count(), range.stride()};
    if (run.count == 0 || total > group.size()) return std::nullopt;
    if (!isRank(run.at(run.count - 1))) return std::nullopt;
  }
  if (total != group.size()) return std::nullopt;

  RankList list;
  for (const v1::RankRange& range : group.member()) {
    list.append({range.first(), range.count(), range.stride()});
  }
  return list;
}

RankList RankList::fromRanks(const std::vector<std::uint32_t>& ranks) {
  RankList list;
  for (const std::uint32_t rank : ranks) list.append({rank, 1, 0});
  return list;
}

// Appends in the canonical form: from left to right, every run is as long as
// possible. Equal lists then have equal runs.
void RankList::append(Run run) {
  size_ += run.count;
  while (run.count > 0) {
    const std::int64_t first = run.first;
    const bool open =
        !runs_.empty() && (runs_.back().count == 1 ||
                           runs_.back().at(runs_.back().count) == first);
    if (!open) {
      if (run.count == 1) run.stride = 0;
      runs_.push_back(run);
      return;
    }
    Run& last = runs_.back();
    if (last.count == 1) last.stride = first - last.first;
    const bool whole = run.count == 1 || run.stride == last.stride;
    const std::uint32_t taken = whole ? run.count : 1;
    last.count += taken;
    run = {static_cast<std::uint32_t>(whole ? 0 : run.at(1)), run.count - taken,
           run.stride};
  }
}

bool RankList::contains(std::uint32_t rank) const {
  for (const Run& run : runs_) {
    const std::int64_t distance = std::int64_t{rank} - run.first;
    if (run.stride == 0 || run.count == 1) {
      if (distance == 0) return true;
    } else if (distance % run.stride == 0 && distance / run.stride >= 0 &&
               distance / run.stride < run.count) {
      return true;
    }
  }
  return false;
}

std::optional<std::uint32_t> RankList::at(std::uint32_t position) const {
  for (const Run& run : runs_) {
    if (position < run.count)
      return static_cast<std::uint32_t>(run.at(position));
    position -= run.count;
  }
  return std::nullopt;
}

std::string RankList::text(std::size_t limit) const {
  std::string text;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (i == limit) return text + ",...";
    absl::StrAppend(&text, i ? "," : "", runText(runs_[i]));
  }
  return text;
}

std::string ranksText(const std::vector<std::uint32_t>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ",
                      RankList::fromRanks(ranks).text());
}

}  // namespace traced
