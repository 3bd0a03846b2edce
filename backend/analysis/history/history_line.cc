#include "analysis/history/history_line.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/flight_recorder/json_reader.h"
#include "analysis/history/history_limits.h"

namespace traced {
namespace {

using Json = nlohmann::ordered_json;

// What every line begins with, and the id behind it.
constexpr char kBeginning[] = R"({"traced_history":1,"run":")";
constexpr std::size_t kIdDigits = 16;

void addValues(const PartValues& values, Json& json) {
  for (std::size_t i = 0; i < kRunParts; ++i) {
    if (!values[i]) continue;
    json[nameOf(static_cast<RunPart>(i))] = *values[i];
  }
}

Json keyJson(const RunKey& key, const KeyFigures& figures) {
  Json json = {{"op", key.op},
               {"group", key.group},
               {"dtype", key.dtype},
               {"size", key.size}};
  addValues(figures.values, json);
  if (figures.uncertain_ns > 0) json["uncertain_ns"] = figures.uncertain_ns;
  if (!figures.site.empty()) json["site"] = figures.site;
  return json;
}

bool isId(std::string_view text) {
  return text.size() == kIdDigits &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string textOf(const Value& value) {
  return std::string(value.asText().value_or("").substr(0, kMostNameBytes));
}

// Absent unless it is a number that a figure can be.
std::optional<double> figureOf(const Value& value) {
  const std::optional<double> number = value.asDouble();
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return number;
}

PartValues valuesOf(const Value& json) {
  PartValues values;
  for (std::size_t i = 0; i < kRunParts; ++i) {
    values[i] = figureOf(json.find(nameOf(static_cast<RunPart>(i))));
  }
  return values;
}

std::map<std::string, std::string> textsOf(const Value& json) {
  std::map<std::string, std::string> texts;
  for (std::size_t i = 0; i < json.pairs() && i < kMostFacts; ++i) {
    const auto [name, value] = json.pair(i);
    texts[textOf(name)] = textOf(value);
  }
  return texts;
}

HistoryRun runOf(const Value& json) {
  HistoryRun run;
  run.id = textOf(json.find("run"));
  run.label = textOf(json.find("label"));
  run.job = textOf(json.find("job"));
  run.attempt =
      static_cast<std::uint32_t>(json.find("attempt").asInt().value_or(0));
  run.started_realtime_ns =
      json.find("started_realtime_ns").asInt().value_or(0);
  run.world_size =
      static_cast<std::uint32_t>(json.find("world_size").asInt().value_or(0));
  run.stepped = json.find("stepped").asBool().value_or(false);
  run.steps = textOf(json.find("steps"));
  run.facts = textsOf(json.find("facts"));
  return run;
}

}  // namespace

std::string historyId(const RunFigures& run) {
  const auto& ids = run.stream_ids;
  const auto least = std::min_element(ids.begin(), ids.end());
  return absl::StrCat(
      absl::Hex(least == ids.end() ? 0 : *least, absl::kZeroPad16));
}

std::string historyLine(const RunFigures& run, const std::string& label) {
  Json json = {{"traced_history", kHistorySchema},
               {"run", historyId(run)},
               {"label", label.substr(0, kMostNameBytes)},
               {"job", run.job},
               {"attempt", run.attempt},
               {"started_realtime_ns", run.started_realtime_ns},
               {"world_size", run.world_size},
               {"stepped", run.stepped},
               {"steps", run.steps},
               {"facts", run.facts}};
  Json& total = json["total"] = Json::object();
  addValues(run.total, total);
  Json& keys = json["keys"] = Json::array();
  for (const auto& [key, figures] : run.keys) {
    keys.push_back(keyJson(key, figures));
  }
  // What is no UTF-8 in a name becomes a replacement character.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string_view idOfLine(std::string_view line) {
  const std::string_view beginning = kBeginning;
  if (!line.starts_with(beginning)) return "";
  const std::string_view id = line.substr(beginning.size(), kIdDigits);
  const bool ends = line.substr(beginning.size() + id.size()).starts_with('"');
  return ends && isId(id) ? id : "";
}

Result<HistoryLine> parseHistoryLine(std::string_view line) {
  if (line.size() > kMostLineBytes) return Error{"longer than any run's line"};
  const Result<Document> document = readJson(line);
  if (!document) return Error{document.error().message};
  const Value json = document->root();
  const auto schema = json.find("traced_history").asInt();
  if (!schema) return Error{"no run of a history"};
  if (*schema != kHistorySchema) {
    return Error{absl::StrCat("of schema ", *schema,
                              ", which this version does not know")};
  }
  HistoryLine read;
  read.run = runOf(json);
  if (!isId(read.run.id)) return Error{"its run has no id"};
  read.total = valuesOf(json.find("total"));
  const Value keys = json.find("keys");
  if (keys.size() > kMostKeys) return Error{"more keys than any run has"};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Value key = keys.at(i);
    KeyFigures& figures =
        read.keys[{textOf(key.find("op")), textOf(key.find("group")),
                   textOf(key.find("dtype")), textOf(key.find("size"))}];
    figures.values = valuesOf(key);
    figures.uncertain_ns = figureOf(key.find("uncertain_ns")).value_or(0);
    figures.site = textOf(key.find("site"));
  }
  return read;
}

}  // namespace traced
