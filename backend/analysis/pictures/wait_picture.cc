#include "analysis/pictures/wait_picture.h"

#include <algorithm>
#include <utility>

#include "analysis/time_split/certified_times.h"

namespace traced {
namespace {

void addWaitCell(WaitCell& sum, const WaitCell& cell) {
  sum.caused_ns += cell.caused_ns;
  sum.certain_ns += cell.certain_ns;
  sum.suffered_ns += cell.suffered_ns;
  sum.uncertain_ns += cell.uncertain_ns;
  sum.operations += cell.operations;
  sum.not_known += cell.not_known;
}

}  // namespace

WaitPictureBuilder::WaitPictureBuilder(std::vector<std::uint32_t> ranks,
                                       std::int64_t first_ns,
                                       std::int64_t last_ns)
    : ranks_(std::move(ranks)), first_ns_(first_ns), waiting_(ranks_.size()) {
  ranks_per_row_ =
      std::max<std::size_t>(1, (ranks_.size() + kMaxRows - 1) / kMaxRows);
  const std::size_t rows =
      (ranks_.size() + ranks_per_row_ - 1) / ranks_per_row_;
  picture_.first_ns = first_ns;
  picture_.columns =
      std::min(kMaxColumns, kMaxCells / std::max<std::size_t>(rows, 1));
  picture_.column_ns = notBelowZero(last_ns - first_ns) / picture_.columns + 1;
  for (std::size_t i = 0; i < ranks_.size(); i += ranks_per_row_) {
    const std::size_t last = std::min(i + ranks_per_row_, ranks_.size()) - 1;
    picture_.rows.push_back(
        {ranks_[i], ranks_[last], std::vector<WaitCell>(picture_.columns)});
  }
}

void WaitPictureBuilder::count(std::uint32_t rank,
                               const OperationSplit& split) {
  const auto index = indexOf(rank);
  if (!index) return;
  const bool is_here = split.ready_ns && *split.ready_ns >= first_ns_;
  const std::size_t column =
      is_here ? static_cast<std::uint64_t>(*split.ready_ns - first_ns_) /
                    picture_.column_ns
              : picture_.columns;
  if (column >= picture_.columns) {
    ++picture_.without_time;
    return;
  }
  WaitCell& cell = picture_.rows[*index / ranks_per_row_].cells[column];
  ++cell.operations;
  cell.not_known += !split.wait_for_peers;
}

void WaitPictureBuilder::add(std::uint32_t rank, RankWaits&& waits,
                             const ClockCursor& clock) {
  const auto index = indexOf(rank);
  if (!index) return;
  waiting_[*index].suffered_ns +=
      spread(*index, std::move(waits.all), clock, &WaitCell::suffered_ns);
  spread(*index, std::move(waits.uncertain), clock, &WaitCell::uncertain_ns);
  for (auto& [late_rank, time] : waits.for_one) {
    const auto late = indexOf(late_rank);
    if (!late) continue;
    waiting_[*late].caused_ns +=
        spread(*late, std::move(time.likely), clock, &WaitCell::caused_ns);
    waiting_[*late].certain_ns +=
        spread(*late, std::move(time.certain), clock, &WaitCell::certain_ns);
  }
}

std::uint64_t WaitPictureBuilder::spread(std::size_t index, CoveredTime&& time,
                                         const ClockCursor& clock,
                                         std::uint64_t WaitCell::*part) {
  std::vector<WaitCell>& cells = picture_.rows[index / ranks_per_row_].cells;
  const auto column_ns = static_cast<std::int64_t>(picture_.column_ns);
  const std::int64_t end_ns =
      column_ns * static_cast<std::int64_t>(cells.size());
  std::uint64_t sum = 0;
  for (const TimeWindow& window : std::move(time).windows()) {
    sum += lengthOf(window);
    const std::int64_t begin_ns = clock.commonNs(window.begin_ns) - first_ns_;
    const std::int64_t until_ns = std::min(
        end_ns, begin_ns + static_cast<std::int64_t>(lengthOf(window)));
    std::int64_t at_ns = std::max<std::int64_t>(begin_ns, 0);
    while (at_ns < until_ns) {
      const std::int64_t column = at_ns / column_ns;
      const std::int64_t next_ns = std::min(until_ns, (column + 1) * column_ns);
      cells[static_cast<std::size_t>(column)].*part +=
          static_cast<std::uint64_t>(next_ns - at_ns);
      at_ns = next_ns;
    }
  }
  return sum;
}

void WaitPictureBuilder::addInFlight(std::uint32_t rank, std::int64_t from_ns,
                                     std::int64_t until_ns) {
  const auto index = indexOf(rank);
  if (!index || from_ns < first_ns_ || until_ns < from_ns) return;
  const auto columnOf = [this](std::int64_t ns) {
    return static_cast<std::uint64_t>(ns - first_ns_) / picture_.column_ns;
  };
  std::vector<WaitCell>& cells = picture_.rows[*index / ranks_per_row_].cells;
  // add() already counted the operation in the first column.
  const std::uint64_t end =
      std::min<std::uint64_t>(columnOf(until_ns) + 1, cells.size());
  for (std::uint64_t i = columnOf(from_ns) + 1; i < end; ++i) {
    ++cells[i].operations;
    ++cells[i].not_known;
  }
}

void WaitPictureBuilder::add(const WaitPictureBuilder& other) {
  for (std::size_t i = 0; i < picture_.rows.size(); ++i) {
    std::vector<WaitCell>& cells = picture_.rows[i].cells;
    const std::vector<WaitCell>& others = other.picture_.rows[i].cells;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      addWaitCell(cells[j], others[j]);
    }
  }
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    waiting_[i].caused_ns += other.waiting_[i].caused_ns;
    waiting_[i].certain_ns += other.waiting_[i].certain_ns;
    waiting_[i].suffered_ns += other.waiting_[i].suffered_ns;
  }
  picture_.without_time += other.picture_.without_time;
}

std::optional<std::size_t> WaitPictureBuilder::indexOf(
    std::uint32_t rank) const {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end() || *found != rank) return std::nullopt;
  return static_cast<std::size_t>(found - ranks_.begin());
}

}  // namespace traced
