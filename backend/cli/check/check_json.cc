#include <utility>

#include "absl/strings/ascii.h"
#include "analysis/stream/rank_list.h"
#include "cli/check/check_output.h"
#include "phrasing/budget_text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

std::string verdictName(Verdict verdict) {
  return absl::AsciiStrToLower(verdictText(verdict));
}

Json figureJson(const FigureResult& figure) {
  Json json = {
      {"budget", figure.budget}, {"least", figure.least},
      {"most", figure.most},     {"measured", figure.measured},
      {"off", figure.off},       {"verdict", verdictName(figure.verdict)}};
  if (figure.first_off) {
    json["first_off_rank"] = figure.first_off->rank;
    setIf(json, "first_off_step", figure.first_off->step);
  }
  return json;
}

Json rowJson(const BudgetRow& row, const RowResult& result) {
  Json json = {{"line", row.line},
               {"steps", row.steps.text()},
               {"per", row.per_step ? "step" : "range"}};
  setIf(json, "group", row.group);
  setIf(json, "op", row.op);
  setIf(json, "dtype", row.dtype);
  json["ranks"] = row.ranks_text;
  if (!row.judged) json["judged"] = false;
  json["at_most"] = row.at_most;
  json["tolerance_percent"] = row.tolerance_percent;
  if (result.count) json["count"] = figureJson(*result.count);
  if (result.bytes) json["bytes"] = figureJson(*result.bytes);
  json["verdict"] = verdictName(result.verdict());
  return json;
}

Json newJson(const NewUsage& fresh) {
  return {{"steps", fresh.steps.text()},
          {"per", fresh.steps.all() ? "range" : "step"},
          {"group", fresh.key.group},
          {"op", fresh.key.op},
          {"dtype", fresh.key.dtype},
          {"ranks", RankList::fromRanks(fresh.ranks).text(64)},
          {"count", fresh.most.count},
          {"bytes", fresh.most.bytes},
          {"verdict", "new"}};
}

}  // namespace

Json checkJson(const CheckOutcome& outcome) {
  const BudgetResult& result = outcome.result;
  Json json = {{"schema", kJsonSchema},
               {"title", outcome.title},
               {"budget", outcome.budget_path},
               {"verdict", !outcome.measured() ? "not_measured"
                           : outcome.met()     ? "met"
                                               : "not_met"},
               {"not_measured", outcome.not_measured},
               {"judged_operations", result.judged},
               {"outside_operations", result.outside}};
  Json& rows = json["rows"] = Json::array();
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    rows.push_back(rowJson(outcome.budget.rows[i], result.rows[i]));
  }
  Json& fresh = json["new"] = Json::array();
  for (const NewUsage& usage : result.fresh) fresh.push_back(newJson(usage));
  Json& structure = json["structure"] = Json::array();
  for (std::size_t i = 0; i < outcome.structure.size(); ++i) {
    const StructureRow& row = outcome.budget.structure[i];
    const std::vector<std::string> off =
        differenceTexts(outcome.budget.structure[i], outcome.structure[i]);
    structure.push_back({{"line", row.line},
                         {"group", row.group},
                         {"ranks", row.ranks_text},
                         {"steps", row.steps.text()},
                         {"differences", off},
                         {"verdict", off.empty() ? "ok" : "differs"}});
  }
  addRecording(json, outcome.summary);
  addFromRings(json, outcome.summary);
  json["lost"] = lostJson(outcome.set, outcome.summary);
  json["warnings"] = allWarnings(outcome.set, outcome.summary);
  return json;
}

}  // namespace traced
