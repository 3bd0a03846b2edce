#include <string>

#include "analysis/stream/names.h"
#include "cli/common/part_options.h"
#include "cli/whatif/whatif_output.h"
#include "phrasing/whatif_text.h"

namespace traced {
namespace {

using whatif::Answer;
using whatif::Question;

const char* nameOf(Question question) {
  switch (question) {
    case Question::kRank:
      return "rank";
    case Question::kRanks:
      return "ranks";
    case Question::kBalance:
      return "balance";
    case Question::kStage:
      return "stage";
    case Question::kNetwork:
      return "network";
    case Question::kNetworkOfOperation:
      return "network_of_operation";
    case Question::kNetworkOfGroups:
      return "network_of_groups";
    case Question::kNetworkOfNodes:
      return "network_of_nodes";
    case Question::kOverlap:
      return "overlap";
  }
  return "";
}

const char* nameOf(whatif::Refusal refusal) {
  switch (refusal) {
    case whatif::Refusal::kNoOperations:
      return "no_operations";
    case whatif::Refusal::kOneRank:
      return "one_rank";
    case whatif::Refusal::kUntimed:
      return "no_device_times";
    case whatif::Refusal::kClocks:
      return "clocks_not_aligned";
  }
  return "";
}

const char* nameOf(whatif::PathPart::What what) {
  switch (what) {
    case whatif::PathPart::What::kComputing:
      return "computing";
    case whatif::PathPart::What::kTransfer:
      return "transfer";
    case whatif::PathPart::What::kUnexplained:
      return "unexplained";
  }
  return "";
}

Json estimateJson(const whatif::Estimate& estimate) {
  return {{"value", estimate.value},
          {"low", estimate.low},
          {"high", estimate.high}};
}

Json answerJson(const Answer& answer, double network) {
  Json json = {{"question", nameOf(answer.question)},
               {"change", changeText(answer, network)}};
  switch (answer.question) {
    case Question::kRank:
      json["rank"] = answer.number;
      break;
    case Question::kRanks:
      json["ranks"] = answer.ranks;
      break;
    case Question::kStage:
      json["stage"] = answer.number;
      json["ranks"] = answer.ranks;
      break;
    case Question::kNetworkOfOperation:
      json["operation"] = traced::nameOf(answer.op);
      break;
    case Question::kNetworkOfGroups:
      json["group"] = answer.name;
      break;
    case Question::kNetworkOfNodes:
      json["nodes"] = {answer.name, answer.other_name};
      break;
    default:
      break;
  }
  json["run_ns"] = estimateJson(answer.run_ns);
  json["saves"] = estimateJson(answer.saves);
  setIf(json, "of_imbalance", answer.of_imbalance);
  return json;
}

Json pathJson(const whatif::CriticalPath& path) {
  Json json = Json::object();
  setIf(json, "step", path.step);
  json["step_ns"] = path.step_ns;
  Json& parts = json["parts"] = Json::array();
  for (const whatif::PathPart& part : path.parts) {
    Json& each = parts.emplace_back(Json{{"what", nameOf(part.what)}});
    if (part.what != whatif::PathPart::What::kTransfer) {
      each["rank"] = part.rank;
    }
    each["operation"] = traced::nameOf(part.op);
    each["bytes"] = part.bytes;
    if (!part.group.empty()) each["group"] = part.group;
    each["ns"] = part.ns;
  }
  return json;
}

}  // namespace

Json whatIfJson(const WhatIfOutput& output) {
  const whatif::WhatIf& result = output.result;
  Json json = {{"schema", kJsonSchema}, {"inputs", output.title}};
  addWindow(json, output.window, output.outside);
  if (result.refusal) {
    json["refusal"] = nameOf(*result.refusal);
    json["sentences"] = {refusalText(result)};
    return json;
  }
  json["sentences"] = whatIfSentences(result);
  json["notes"] = whatIfNotes(result);
  json["steps"] = result.path.steps;
  json["measured_ns"] = result.measured_ns;
  json["replayed_ns"] = estimateJson(result.replayed_ns);
  json["replay_error"] = whatif::replayError(result);
  if (result.slowdown) json["slowdown"] = estimateJson(*result.slowdown);
  json["network"] = output.network;
  Json& answers = json["answers"] = Json::array();
  for (const Answer& answer : result.answers) {
    answers.push_back(answerJson(answer, output.network));
  }
  json["critical_path"] = pathJson(result.path);
  json["ranks_without_peers"] = result.without_peers;
  return json;
}

}  // namespace traced
