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

void WaitPictureBuilder::add(std::uint32_t rank, const OperationSplit& split,
                             std::uint32_t others) {
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
  if (!split.wait_for_peers) {
    ++cell.not_known;
  } else {
    const CertifiedTime& wait = *split.wait_for_peers;
    cell.suffered_ns += notBelowZero(wait.ns);
    cell.uncertain_ns += offByNs(wait);
    waiting_[*index].suffered_ns += notBelowZero(wait.ns);
  }
  if (const auto& awaited = split.awaited) {
    cause(awaited->rank, column, awaited->ns, awaited->certain_ns);
  }
  if (split.likely_arrival && split.likely_arrival->is_last) {
    const std::uint64_t ns = split.likely_arrival->behind_ns * others;
    cause(rank, column, ns, split.ready ? ns : 0);
  }
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

void WaitPictureBuilder::cause(std::uint32_t rank, std::size_t column,
                               std::uint64_t ns, std::uint64_t certain_ns) {
  const auto index = indexOf(rank);
  if (!index) return;
  WaitCell& cell = picture_.rows[*index / ranks_per_row_].cells[column];
  cell.caused_ns += ns;
  cell.certain_ns += certain_ns;
  waiting_[*index].caused_ns += ns;
  waiting_[*index].certain_ns += certain_ns;
}

}  // namespace traced
