#include "cli/history/history_output.h"

namespace traced {
namespace {

Json historyKeyJson(const std::optional<RunKey>& key) {
  if (!key) return nullptr;
  return {{"op", key->op},
          {"group", key->group},
          {"dtype", key->dtype},
          {"size", key->size}};
}

Json historyRunJson(const HistoryRun& run) {
  return {{"run", run.id},
          {"label", run.label},
          {"job", run.job},
          {"attempt", run.attempt},
          {"started_realtime_ns", run.started_realtime_ns},
          {"world_size", run.world_size},
          {"steps", run.steps}};
}

Json historyChangeJson(const HistoryChange& change) {
  return {{"run", change.run},
          {"before", change.before},
          {"after", change.after},
          {"runs_before", change.runs_before},
          {"runs_after", change.runs_after},
          {"p", change.p},
          {"new", change.is_new},
          {"one_run", change.isOfOneRun()}};
}

Json seriesJson(const HistoryOutput& output, const JudgedSeries& judged) {
  const ReadySeries& series = judged.series;
  Json json = {{"key", historyKeyJson(output.history.keys[series.key].key)},
               {"part", nameOf(series.part)},
               {"verdict", nameOf(judged.kind)},
               {"follows", judged.follows},
               {"runs", series.of.values.size()}};
  if (isTime(series.part)) {
    json["share_of_step"] = series.share;
    json["small"] = series.is_small;
  }
  if (judged.isNews()) {
    json["before"] = judged.before;
    json["after"] = judged.after;
    setIf(json, "since", judged.since);
  }
  setIf(json, "significant_from", judged.significant_from);
  setIf(json, "found_from", judged.found_from);
  if (judged.found_from) json["power_runs"] = judged.power_runs;
  const std::string& site = output.history.keys[series.key].site;
  if (!site.empty()) json["site"] = site;
  Json& changes = json["changes"] = Json::array();
  for (const HistoryChange& change : judged.changes) {
    changes.push_back(historyChangeJson(change));
  }
  return json;
}

}  // namespace

Json historyJson(const HistoryOutput& output) {
  const auto plain = [](const std::string& text) { return text; };
  const HistoryVerdict& verdict = output.verdict;
  Json json = {{"schema", kJsonSchema},
               {"verdict", verdictNameOf(verdict)},
               {"sentence", historySentence(output, plain)},
               {"power", historyPower(output, plain)},
               {"findings", historyFindings(output, plain)},
               {"not_measured", verdict.not_measured},
               {"notes", verdict.notes},
               {"warnings", output.history.warnings},
               {"compared_runs", verdict.runs.size()},
               {"tested_series", verdict.tested},
               {"max_p", verdict.max_p},
               {"alpha", verdict.limits.alpha},
               {"floor", verdict.limits.floor},
               {"window", verdict.limits.window},
               {"newest", verdict.limits.newest}};
  Json& runs = json["runs"] = Json::array();
  for (const HistoryRun& run : output.history.runs) {
    runs.push_back(historyRunJson(run));
  }
  for (const std::uint32_t run : verdict.runs) runs[run]["compared"] = true;
  Json& moved = json["came_or_went"] = Json::array();
  for (const CameOrWent& one : verdict.came_or_went) {
    moved.push_back({{"key", historyKeyJson(output.history.keys[one.key].key)},
                     {"gone", one.is_gone},
                     {"run", one.run}});
  }
  Json& series = json["series"] = Json::array();
  for (const JudgedSeries& judged : verdict.series) {
    const bool has_changed = judged.isNews() || !judged.changes.empty();
    if (!isShown(output, judged.series.key)) continue;
    if (has_changed || output.all) series.push_back(seriesJson(output, judged));
  }
  return json;
}

}  // namespace traced
