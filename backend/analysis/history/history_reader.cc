#include "analysis/history/history_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "analysis/history/history_limits.h"
#include "analysis/history/line_splitter.h"

namespace traced {
namespace {

// So many lines that were left out are told one by one.
constexpr std::size_t kToldLines = 4;

void addTo(HistorySeries& series, std::uint32_t run, double value) {
  series.runs.push_back(run);
  series.values.push_back(value);
}

// Runs by new numbers, and in their order.
void renumber(HistorySeries& series, const std::vector<std::uint32_t>& number) {
  std::vector<std::pair<std::uint32_t, double>> points;
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    points.emplace_back(number[series.runs[i]], series.values[i]);
  }
  std::sort(points.begin(), points.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    series.runs[i] = points[i].first;
    series.values[i] = points[i].second;
  }
}

void sortByStart(History& history) {
  std::vector<std::uint32_t> order(history.runs.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto startOf = [&history](std::uint32_t run) {
    return history.runs[run].started_realtime_ns;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return startOf(a) < startOf(b); });
  std::vector<std::uint32_t> number(order.size());
  std::vector<HistoryRun> runs;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    runs.push_back(std::move(history.runs[order[i]]));
  }
  history.runs = std::move(runs);
  for (HistoryKey& key : history.keys) {
    for (HistorySeries& series : key.parts) renumber(series, number);
    renumber(key.uncertain, number);
  }
}

}  // namespace

void HistoryBuilder::add(std::string_view line) {
  ++lines_;
  if (absl::StripAsciiWhitespace({line.data(), line.size()}).empty()) return;
  Result<HistoryLine> read = parseHistoryLine(line);
  if (!read) return leaveOut(read.error().message);
  if (history_.runs.size() == kMostRunsOfHistory) {
    too_many_runs_ = true;
    return;
  }
  const auto [place, is_new] = line_by_id_.try_emplace(read->run.id, lines_);
  if (!is_new) {
    return leaveOut(absl::StrCat("the run of line ", place->second));
  }
  take(std::move(*read));
}

void HistoryBuilder::take(HistoryLine line) {
  const auto run = static_cast<std::uint32_t>(history_.runs.size());
  const auto put = [run](const PartValues& values, HistoryKey& key) {
    for (std::size_t i = 0; i < kRunParts; ++i) {
      if (values[i]) addTo(key.parts[i], run, *values[i]);
    }
  };
  put(line.total, *keyOf(std::nullopt));
  for (const auto& [name, figures] : line.keys) {
    HistoryKey* key = keyOf(name);
    if (!key) continue;
    put(figures.values, *key);
    addTo(key->uncertain, run, figures.uncertain_ns);
    key->site = figures.site;
  }
  history_.runs.push_back(std::move(line.run));
}

// nullptr where there are too many.
HistoryKey* HistoryBuilder::keyOf(const std::optional<RunKey>& key) {
  const auto found = index_by_key_.find(key);
  if (found != index_by_key_.end()) return &history_.keys[found->second];
  if (history_.keys.size() > kMostKeysOfHistory) {
    too_many_keys_ = true;
    return nullptr;
  }
  index_by_key_[key] = history_.keys.size();
  history_.keys.emplace_back().key = key;
  return &history_.keys.back();
}

void HistoryBuilder::leaveOut(const std::string& why) {
  if (++left_out_ > kToldLines) return;
  history_.warnings.push_back(
      absl::StrCat("line ", lines_, " is left out: ", why));
}

Result<History> HistoryBuilder::finish() && {
  if (history_.runs.empty()) {
    return Error{history_.warnings.empty() ? "no runs"
                                           : history_.warnings.front()};
  }
  if (left_out_ > kToldLines) {
    history_.warnings.push_back(
        absl::StrCat(left_out_ - kToldLines, " more lines are left out"));
  }
  if (too_many_runs_) {
    history_.warnings.push_back(absl::StrCat(
        "only the first ", kMostRunsOfHistory, " runs are looked at"));
  }
  if (too_many_keys_) {
    history_.warnings.push_back(
        absl::StrCat("only the first ", kMostKeysOfHistory,
                     " kinds of operation are looked at"));
  }
  sortByStart(history_);
  return std::move(history_);
}

Result<History> readHistory(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  HistoryBuilder builder;
  LineSplitter lines(kMostLineBytes,
                     [&builder](std::string_view line) { builder.add(line); });
  std::string block(std::size_t{1} << 20, '\0');
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    lines.add({block.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (!file.eof()) {
    return Error{absl::StrCat(path, ": ", std::strerror(errno))};
  }
  lines.finish();
  Result<History> history = std::move(builder).finish();
  if (!history) return Error{absl::StrCat(path, ": ", history.error().message)};
  return history;
}

}  // namespace traced
