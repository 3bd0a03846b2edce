// A history: its lines are read or left out, and what is read is judged.

#include <cmath>

#include "analysis/history/history_reader.h"
#include "analysis/history/history_verdict.h"
#include "analysis/history/line_splitter.h"
#include "fuzz/target.h"

using namespace traced;
using traced::testing::require;

namespace {

void check(const HistorySeries& series, std::size_t runs) {
  require(series.runs.size() == series.values.size(), "a value for each run");
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    require(series.runs[i] < runs, "the run is there");
    require(i == 0 || series.runs[i - 1] < series.runs[i], "runs rise");
    require(std::isfinite(series.values[i]) && series.values[i] >= 0,
            "a value is a figure");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  HistoryBuilder builder;
  LineSplitter lines(std::size_t{1} << 14,
                     [&](std::string_view line) { builder.add(line); });
  lines.add({reinterpret_cast<const char*>(data), size});
  lines.finish();
  const auto history = std::move(builder).finish();
  if (!history) {
    require(!history.error().message.empty(), "it says why");
    return 0;
  }
  require(!history->runs.empty() && !history->keys.empty(), "there is a run");
  require(!history->keys.front().key, "the total is the first");
  for (const HistoryKey& key : history->keys) {
    for (const HistorySeries& series : key.parts) {
      check(series, history->runs.size());
    }
  }
  const HistoryVerdict verdict = judgeHistory(*history, {});
  for (const JudgedSeries& judged : verdict.series) {
    require(judged.series.key < history->keys.size(), "the key is there");
    require(!judged.isNews() || judged.since, "news are since some run");
  }
  return 0;
}
