#include "analysis/report/report_sums.h"

#include <algorithm>
#include <atomic>

#include "analysis/report/stream_adder.h"
#include "base/threads.h"

namespace traced {

void ReportSums::add(const ReportedStream& stream, PictureBuilder* pictures) {
  group_totals_.resize(stream.catalog.groups().size());
  group_starts_.resize(stream.catalog.groups().size());
  StreamAdder(*this, stream, pictures).addAll();
}

ReportSums::Row& ReportSums::rowFor(std::vector<std::string> keys,
                                    FirstUse first) {
  const auto [entry, is_new] =
      row_by_keys_.try_emplace(std::move(keys), nullptr);
  if (is_new) {
    entry->second = rows_.emplace_back(std::make_unique<Row>()).get();
    entry->second->first = first;
    entry->second->report_row.keys = entry->first;
  }
  Row& row = *entry->second;
  row.first = std::min(row.first, first);
  return row;
}

void ReportSums::add(ReportSums&& other) {
  for (const std::unique_ptr<Row>& from : other.rows_) {
    Row& row = rowFor(from->report_row.keys, from->first);
    row.report_row.totals.add(from->report_row.totals);
    row.report_row.split.add(from->report_row.split);
    row.samples.add(std::move(from->samples));
    if (from->first_split) row.splitOf(true).add(*from->first_split);
  }
  ranks_.insert(ranks_.end(), other.ranks_.begin(), other.ranks_.end());
  group_totals_.resize(
      std::max(group_totals_.size(), other.group_totals_.size()));
  for (std::size_t i = 0; i < other.group_totals_.size(); ++i) {
    group_totals_[i].add(other.group_totals_[i]);
  }
  group_starts_.resize(
      std::max(group_starts_.size(), other.group_starts_.size()));
  for (std::size_t i = 0; i < other.group_starts_.size(); ++i) {
    group_starts_[i].add(other.group_starts_[i]);
  }
  small_calls_.add(other.small_calls_);
  all_.add(other.all_);
  out_of_scope_ += other.out_of_scope_;
  steps_.add(other.steps_);
}

void ReportSums::finish(std::size_t threads, Report& report) && {
  std::sort(rows_.begin(), rows_.end(),
            [](const auto& a, const auto& b) { return a->first < b->first; });
  std::sort(ranks_.begin(), ranks_.end(),
            [](const Rank& a, const Rank& b) { return a.index < b.index; });
  std::atomic<std::size_t> next = 0;
  const std::size_t needed = std::clamp<std::size_t>(rows_.size(), 1, threads);
  inThreads(needed, [&](std::size_t) {
    for (std::size_t i; (i = next++) < rows_.size();) {
      std::move(rows_[i]->samples).summarize(rows_[i]->report_row);
    }
  });
  const std::uint64_t run_ns = report.summary.rankTimeNs();
  for (const std::unique_ptr<Row>& row : rows_) {
    ReportRow& added = report.rows.emplace_back(std::move(row->report_row));
    const bool none_later = added.left_out == 0;
    if (row->first_split && none_later) added.split.add(*row->first_split);
    added.share = added.totals.shareOf(run_ns);
    added.share_at_most = added.totals.mostOf(run_ns);
  }
  report.estimated_wait_ns = 0;
  for (const Rank& rank : ranks_) {
    report.ranks.push_back(rank.totals);
    report.time.add(rank.totals.time);
    const auto& estimated_ns = rank.totals.estimated_wait_ns;
    if (!estimated_ns) report.estimated_wait_ns.reset();
    if (report.estimated_wait_ns) *report.estimated_wait_ns += *estimated_ns;
  }
  report.group_totals = std::move(group_totals_);
  for (GroupStart& start : group_starts_) start.sort();
  report.group_starts = std::move(group_starts_);
  report.small_calls = std::move(small_calls_).finish(run_ns);
  report.all = all_;
  report.all.setTime(report.time);
  report.out_of_scope = out_of_scope_;
  if (plan_.ready_times) report.steps = std::move(steps_).finish();
}

}  // namespace traced
