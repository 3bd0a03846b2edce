#include "analysis/diagnosis/lateness/causes.h"
#include "analysis/stream/names.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/action_json.h"
#include "cli/diagnose/diagnose_output.h"
#include "phrasing/diagnosis_text.h"
#include "phrasing/verdict_text.h"
#include "phrasing/warnings.h"
#include "phrasing/words.h"

namespace traced {
namespace {

void addPlace(Json& json, const CallSite& place) {
  if (!place.site.empty()) json["site"] = place.site;
  setIf(json, "step", place.step);
  if (!place.module.empty()) json["module"] = place.module;
  if (!place.phase.empty()) json["phase"] = place.phase;
  if (!place.annotations.empty()) json["annotations"] = place.annotations;
  if (!place.handling.empty()) json["handling"] = place.handling;
}

// Returns an operation. `instant` is the key for its time, in nanoseconds.
Json refJson(const JobState& job, const OperationRef& ref,
             const char* instant) {
  Json json = {{"group", job.catalog.label(ref.group)},
               {"op", nameOf(ref.op)},
               {"seq", ref.seq}};
  if (ref.pair) json["pair"] = {ref.pair->first, ref.pair->second};
  json[instant] = ref.at_ns;
  if (!ref.error.empty()) json["error"] = ref.error;
  if (ref.place) addPlace(json, *ref.place);
  return json;
}

Json processEndJson(const RankState& rank) {
  const ProcessEnd& end = rank.end;
  Json json = {{"how", nameOf(end.kind)}};
  if (!end.exception.empty()) json["exception"] = end.exception;
  if (!end.thread_exception.empty()) {
    json["thread_exception"] = end.thread_exception;
  }
  if (end.raised.known()) json["raised_ns"] = rank.ended_ns;
  setIf(json, "exit_code", end.exit_code);
  if (end.signal != 0) json["signal"] = signalName(end.signal);
  if (end.oom_killed) json["oom_killed"] = true;
  return json;
}

Json rankJson(const JobState& job, const RankState& rank) {
  Json json = {{"rank", rank.rank},
               {"host", rank.host},
               {"closed", rank.closed},
               {"recovered", rank.recovered},
               {"last_ns", rank.last_ns}};
  json["ended"] = processEndJson(rank);
  if (rank.running) json["running"] = true;
  if (!rank.lost.empty()) json["lost"] = lostText(rank.lost);
  if (rank.creating) {
    json["creating"] = {{"function", rank.creating->function},
                        {"site", rank.creating->site},
                        {"for_ns", rank.creating->for_ns}};
  }
  setIf(json, "frozen_ns", rank.frozen_ns);
  for (const ThreadStanding& standing : rank.standings) {
    json["threads"].push_back(standingJson(standing));
  }
  if (rank.last_finished) {
    json["last_finished"] = refJson(job, *rank.last_finished, "end_ns");
  }
  json["inside"] = Json::array();
  for (const OperationRef& ref : rank.inside) {
    json["inside"].push_back(refJson(job, ref, "issue_ns"));
  }
  if (rank.first_failure) {
    json["first_failure"] = refJson(job, *rank.first_failure, "issue_ns");
  }
  return json;
}

void addCauses(const JobVerdict& verdict, Json& json) {
  for (const ExplainedBy& each : verdict.causes) {
    json["causes"].push_back({{"cause", nameOf(each.cause)},
                              {"ranks", each.ranks},
                              {"late_ns", each.late_ns},
                              {"ns", each.ns},
                              {"of_others_ns", each.of_others_ns}});
  }
  if (!verdict.unexplained) return;
  Json ruled_out = Json::array();
  for (const LateCause cause : verdict.unexplained->ruled_out) {
    ruled_out.push_back(nameOf(cause));
  }
  json["unexplained"] = {{"ranks", verdict.unexplained->ranks},
                         {"ruled_out", std::move(ruled_out)}};
}

// The content that a verdict is about.
struct ContentJson {
  Json operator()(const TransferDiffers& fact) const {
    return {{"sender", fact.sender},
            {"bytes", fact.bytes},
            {"wrong", fact.wrong},
            {"right", fact.right}};
  }
  Json operator()(const ReceiversDiffer& fact) const {
    return {
        {"sender", fact.sender}, {"bytes", fact.bytes}, {"equal", fact.equal}};
  }
  Json operator()(const ResultsDiffer& fact) const {
    return {{"bytes", fact.bytes}, {"equal", fact.equal}};
  }
  Json operator()(const SumDiffers& fact) const {
    return {
        {"bytes", fact.bytes}, {"wrong", fact.wrong}, {"right", fact.right}};
  }
  Json operator()(const InputChanged& fact) const {
    return {{"sender", fact.ranks.front()}, {"bytes", fact.bytes}};
  }
  Json operator()(const NanEntered& fact) const {
    return {{"nan", fact.nan}, {"elements", fact.elements}};
  }
  Json operator()(const GrowsTowardsLimit& fact) const {
    return {{"dtype", fact.dtype},
            {"first_maximum", fact.first_maximum},
            {"last_maximum", fact.last_maximum},
            {"largest", fact.largest}};
  }
  Json operator()(const Saturates& fact) const {
    return {{"dtype", fact.dtype},
            {"largest", fact.largest},
            {"saturated", fact.saturated},
            {"elements", fact.elements}};
  }
  Json operator()(const SumOverflows& fact) const {
    return {{"dtype", fact.dtype},
            {"operations", fact.operations},
            {"last_seq", fact.last_seq}};
  }
  Json operator()(const NormStandsOut& fact) const {
    return {{"norm", fact.norm}, {"next_norm", fact.next_norm}};
  }
  Json operator()(const ReplicasDiffer& fact) const {
    Json json = {{"name", fact.name}, {"check", fact.check}};
    setIf(json, "step", fact.step);
    json["equal"] = fact.equal;
    return json;
  }
  Json operator()(const TensorsDiffer& fact) const {
    return {{"tensors", fact.tensors}, {"of", fact.of}};
  }
  Json operator()(const SoOften& fact) const {
    return {{"operations", fact.operations}, {"last_seq", fact.last_seq}};
  }
};

// Adds "content" and "repeated".
void addContent(const JobVerdict& verdict, Json& json) {
  for (const Fact& fact : verdict.summary) {
    const auto* content = std::get_if<ValueFact>(&fact);
    if (content) json["content"] = std::visit(ContentJson(), *content);
  }
  for (const Fact& fact : verdict.reasons) {
    const auto* content = std::get_if<ValueFact>(&fact);
    if (content) json["repeated"] = std::visit(ContentJson(), *content);
  }
}

}  // namespace

Json verdictJson(const JobState& job, const JobVerdict& verdict,
                 bool stock_names) {
  Json json = {{"kind", nameOf(verdict.kind)}};
  if (stock_names) json["stock_name"] = traitsOf(verdict.kind).stock_name;
  json["confidence"] = nameOf(verdict.confidence());
  json["finding_confidence"] = nameOf(verdict.finding);
  json["culprit_confidence"] = nameOf(verdict.culprit);
  json["ranks"] = verdict.ranks;
  json["culprits"] = verdict.culprits;
  if (verdict.group != GroupCatalog::kNone) {
    json["group"] = job.catalog.label(verdict.group);
  }
  if (verdict.pair) json["pair"] = {verdict.pair->first, verdict.pair->second};
  if (verdict.seq > 0) json["seq"] = verdict.seq;
  if (!verdict.op.empty()) json["op"] = verdict.op;
  setIf(json, "since_ns", verdict.since_ns);
  setIf(json, "waited_ns", verdict.waited_ns);
  if (verdict.saves) {
    json["saves"] = {{"value", verdict.saves->part},
                     {"low", verdict.saves->low},
                     {"high", verdict.saves->high}};
  }
  addCauses(verdict, json);
  addContent(verdict, json);
  if (verdict.since_seq > 0) json["since_seq"] = verdict.since_seq;
  for (const auto& [rank, place] : verdict.places) {
    Json where = {{"rank", rank}};
    addPlace(where, place);
    json["places"].push_back(std::move(where));
  }
  json["summary"] = summaryOf(job, verdict);
  json["headline"] = headlineOf(job, verdict);
  json["now"] = phrases(job, verdict.now);
  json["evidence"] = phrases(job, verdict.reasons);
  if (verdict.consequence) json["consequence"] = consequenceOf(job, verdict);
  json["advice"] = phrases(job, verdict.advice);
  json["action"] = actionJson(actionFor(job, verdict));
  return json;
}

Json ranksJson(const JobState& job) {
  Json ranks = Json::array();
  for (const RankState& rank : job.ranks) ranks.push_back(rankJson(job, rank));
  return ranks;
}

Json diagnoseJson(const std::string& title, const TraceSet& set,
                  const Diagnosis& diagnosis, bool stock_names) {
  const JobState& job = diagnosis.job;
  Json json = {{"schema", kJsonSchema},
               {"title", title},
               {"world_size", job.summary.worldSize()},
               {"healthy", diagnosis.healthy()},
               {"culprits", diagnosis.culprits},
               {"action", actionJson(diagnosis.action())},
               {"verdicts", Json::array()}};
  if (!diagnosis.end_unknown.empty()) {
    json["end_unknown"] = RankList::fromRanks(diagnosis.end_unknown).text();
  }
  if (!diagnosis.ended_unclosed.empty()) {
    json["ended_unclosed"] =
        RankList::fromRanks(diagnosis.ended_unclosed).text();
  }
  if (stock_names && diagnosis.healthy()) {
    json["stock_name"] = kStockHealthy;
  }
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    json["verdicts"].push_back(verdictJson(job, verdict, stock_names));
  }
  json["under_way"] = diagnosis.under_way;
  const std::vector<std::string> of_one = usedGroupsOfOne(job);
  if (!of_one.empty()) json["groups_of_one"] = of_one;
  if (!diagnosis.rules_left_out.empty()) {
    json["rules_left_out"] = diagnosis.rules_left_out;
  }
  json["ranks"] = ranksJson(job);
  json["groups"] = groupsJson(job.catalog);
  addRecording(json, job.summary);
  addFromRings(json, job.summary);
  json["lost"] = lostJson(set, job.summary);
  json["warnings"] = allWarnings(set, job.summary);
  return json;
}

}  // namespace traced
