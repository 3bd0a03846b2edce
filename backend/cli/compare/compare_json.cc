#include <limits>

#include "cli/compare/compare_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

Json keyJson(const std::optional<RunKey>& key) {
  if (!key) return nullptr;
  return {{"op", key->op},
          {"group", key->group},
          {"dtype", key->dtype},
          {"size", key->size}};
}

Json changeJson(const Comparison& comparison, const ComparedKey& key,
                const Change& change) {
  Json json = {{"key", keyJson(key.key)},  {"part", nameOf(change.part)},
               {"before", change.before},  {"after", change.after},
               {"base_runs", change.base}, {"new_runs", change.fresh}};
  if (isTime(change.part)) {
    json["share_of_step"] = change.share;
    json["small"] = change.small;
  }
  if (!comparison.has_verdict) return json;
  json["verdict"] = nameOf(change.kind);
  if (change.p || change.kind != ChangeKind::kNone) {
    json["ratio"] = change.ratio();
  }
  if (change.p) {
    json["ratio_low"] = change.low();
    json["ratio_high"] = change.high();
    json["coverage"] = change.log_ratio.coverage;
    json["p"] = *change.p;
    json["found_from"] = change.detectable(comparison.settings.limits);
  }
  if (change.follows) json["follows"] = causeText(change.follows);
  if (change.perhaps_follows) {
    json["perhaps_follows"] = causeText(change.perhaps_follows);
  }
  setIf(json, "caused_by_rank", change.culprit);
  if (change.sooner) {
    json["wait_begins_after_ns"] = {change.sooner->before_ns,
                                    change.sooner->after_ns};
  }
  return json;
}

Json oneSidedJson(const OneSided& one) {
  Json json = {{"key", keyJson(one.key)},
               {"side", one.in_base ? "base" : "new"},
               {"calls", one.calls},
               {"bytes", one.bytes}};
  if (!one.site.empty()) json["site"] = one.site;
  return json;
}

const char* verdictOf(const Comparison& comparison) {
  if (!comparison.unfit.empty()) return "not_measured";
  if (comparison.hasFindings()) return "regression";
  return comparison.not_measured.empty() ? "no_regression" : "not_measured";
}

Json findingsJson(const Comparison& comparison) {
  const char* levels[] = {"worse", "changed", "better"};
  const auto plain = [](const std::string& text) { return text; };
  Json all = Json::array();
  for (const CompareFinding& finding : compareFindings(comparison, plain)) {
    Json json = {{"level", levels[static_cast<int>(finding.level)]},
                 {"rule", finding.rule},
                 {"text", finding.text}};
    if (!finding.follows.empty()) json["follows"] = finding.follows;
    if (!finding.site.empty()) json["site"] = finding.site;
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace

Json compareJson(const Comparison& comparison) {
  const auto plain = [](const std::string& text) { return text; };
  const CompareLimits& limits = comparison.settings.limits;
  Json json = {{"schema", kJsonSchema},
               {"verdict", verdictOf(comparison)},
               {"sentence", compareSentence(comparison, plain)},
               {"power", powerText(comparison, plain)},
               {"not_measured", reasonTexts(comparison)},
               {"notes", remarkTexts(comparison, comparison.notes)},
               {"base_runs", comparison.base_runs},
               {"new_runs", comparison.fresh_runs},
               {"same_runs", comparison.same_runs},
               {"paired", comparison.settings.paired},
               {"alpha", limits.alpha},
               {"floor", limits.floor},
               {"least_p", comparison.least_p},
               {"needed_p", comparison.needed_p},
               {"tested_keys", comparison.tested_keys},
               {"world_size", comparison.world_size},
               {"steps", comparison.steps}};
  json["findings"] = findingsJson(comparison);
  Json& one_sided = json["one_sided"] = Json::array();
  for (const OneSided& one : comparison.one_sided) {
    one_sided.push_back(oneSidedJson(one));
  }
  Json& regrouped = json["regrouped"] = Json::array();
  for (const Regrouped& role : comparison.regrouped) {
    regrouped.push_back({{"group", role.group},
                         {"before", role.before},
                         {"after", role.after}});
  }
  Json& changes = json["changes"] = Json::array();
  for (const CompareRow& row : compareRows(comparison)) {
    changes.push_back(changeJson(comparison, *row.key, *row.change));
  }
  return json;
}

}  // namespace traced
