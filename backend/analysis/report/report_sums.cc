#include "analysis/report/report_sums.h"

#include <algorithm>
#include <atomic>

#include "analysis/report/stream_adder.h"
#include "base/threads.h"

namespace traced {

void ReportSums::add(const ReportedStream& stream, PictureBuilder* pictures) {
  group_totals_.resize(stream.catalog.groups().size());
  StreamAdder(*this, stream, pictures).addAll();
}

ReportSums::Row& ReportSums::rowFor(std::vector<std::string> keys,
                                    Place first) {
  const auto [place, is_new] =
      row_by_keys_.try_emplace(std::move(keys), nullptr);
  if (is_new) {
    place->second = rows_.emplace_back(std::make_unique<Row>()).get();
    place->second->first = first;
    place->second->told.keys = place->first;
  }
  Row& row = *place->second;
  row.first = std::min(row.first, first);
  return row;
}

void ReportSums::add(ReportSums&& other) {
  for (const std::unique_ptr<Row>& from : other.rows_) {
    Row& row = rowFor(from->told.keys, from->first);
    row.told.totals.add(from->told.totals);
    row.told.split.add(from->told.split);
    row.samples.add(std::move(from->samples));
  }
  ranks_.insert(ranks_.end(), other.ranks_.begin(), other.ranks_.end());
  group_totals_.resize(
      std::max(group_totals_.size(), other.group_totals_.size()));
  for (std::size_t i = 0; i < other.group_totals_.size(); ++i) {
    group_totals_[i].add(other.group_totals_[i]);
  }
  all_.add(other.all_);
  out_of_scope_ += other.out_of_scope_;
}

void ReportSums::finish(std::size_t threads, Report& report) && {
  std::sort(rows_.begin(), rows_.end(),
            [](const auto& a, const auto& b) { return a->first < b->first; });
  std::sort(ranks_.begin(), ranks_.end(),
            [](const Rank& a, const Rank& b) { return a.place < b.place; });
  std::atomic<std::size_t> next = 0;
  const std::size_t needed = std::clamp<std::size_t>(rows_.size(), 1, threads);
  inThreads(needed, [&](std::size_t) {
    for (std::size_t i; (i = next++) < rows_.size();) {
      std::move(rows_[i]->samples).summarize(rows_[i]->told);
    }
  });
  const std::uint64_t run_ns = report.summary.rankTimeNs();
  for (const std::unique_ptr<Row>& row : rows_) {
    ReportRow& told = report.rows.emplace_back(std::move(row->told));
    told.share = told.totals.shareOf(run_ns);
    told.share_at_most = told.totals.mostOf(run_ns);
  }
  for (const Rank& rank : ranks_) {
    report.ranks.push_back(rank.told);
    report.all_states.add(rank.told.states);
  }
  report.group_totals = std::move(group_totals_);
  report.all = all_;
  report.out_of_scope = out_of_scope_;
}

}  // namespace traced
