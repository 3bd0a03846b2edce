#include "cli/serve/otlp/otlp_message.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/common/json.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// AGGREGATION_TEMPORALITY_CUMULATIVE. The JSON form uses numbers for enums.
constexpr int kCumulative = 2;

// Returns the UCUM unit for a metric's name.
const char* unitOf(const std::string& name) {
  for (const auto& word : absl::StrSplit(name, '_')) {
    if (word == "seconds") return "s";
    if (word == "microseconds") return "us";
    if (word == "bytes") return "By";
  }
  return "";
}

// The JSON form encodes 64-bit integers as strings.
std::string integer(std::uint64_t value) { return absl::StrCat(value); }

std::string instant(std::int64_t unix_ns) { return absl::StrCat(unix_ns); }

Json attributesOf(const MetricLabels& labels) {
  Json attributes = Json::array();
  for (const auto& [name, text] : labels) {
    attributes.push_back({{"key", name}, {"value", {{"stringValue", text}}}});
  }
  return attributes;
}

void addBuckets(Json& point, const TimeBuckets& buckets) {
  Json counts = Json::array();
  Json bounds = Json::array();
  for (std::size_t i = 0; i <= TimeBuckets::kBounds; ++i) {
    counts.push_back(integer(buckets.count(i)));
    if (i < TimeBuckets::kBounds)
      bounds.push_back(TimeBuckets::boundSeconds(i));
  }
  point["count"] = integer(buckets.total());
  point["sum"] = buckets.totalSeconds();
  point["bucketCounts"] = std::move(counts);
  point["explicitBounds"] = std::move(bounds);
}

Json pointOf(const MetricSample& sample, MetricType type,
             const MetricSource& source, std::int64_t now_ns) {
  Json point = {{"attributes", attributesOf(sample.labels)},
                {"timeUnixNano", instant(now_ns)}};
  if (type != MetricType::kGauge) {
    point["startTimeUnixNano"] = instant(source.began_ns);
  }
  if (const double* value = std::get_if<double>(&sample.value)) {
    point["asDouble"] = *value;
  } else {
    addBuckets(point, std::get<TimeBuckets>(sample.value));
  }
  return point;
}

Json metricOf(const std::string& name, const MetricFamily& family,
              Json points) {
  Json data = {{"dataPoints", std::move(points)}};
  const char* kind = "gauge";
  if (family.type != MetricType::kGauge) {
    data["aggregationTemporality"] = kCumulative;
    kind = "histogram";
  }
  if (family.type == MetricType::kCounter) {
    data["isMonotonic"] = true;
    kind = "sum";
  }
  return {{"name", name},
          {"description", family.help},
          {"unit", unitOf(name)},
          {kind, std::move(data)}};
}

Json resourceOf(const MetricSource& source, const std::string& host) {
  const std::string& job = source.job;
  return {{"attributes",
           attributesOf({{"service.name", job.empty() ? "tracectl" : job},
                         {"service.instance.id", host},
                         {"host.name", host}})}};
}

constexpr std::int64_t kMaxPauseS = 300;
constexpr std::size_t kMaxWords = 200;

// Returns text of the collector, shortened and with control characters escaped.
std::string shown(const std::string& text) {
  return printable(text.substr(0, kMaxWords));
}

// Returns a text field, or "" if it is absent.
std::string textIn(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : "";
}

// Returns a count, encoded as a number or as a string. Returns 0 if it is
// absent.
std::uint64_t countIn(const Json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end()) return 0;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  std::uint64_t count = 0;
  return absl::SimpleAtoi(textIn(json, field), &count) ? count : 0;
}

// Reads partialSuccess from a response that may be malformed.
void addRefused(const std::string& body, OtlpAnswer& answer) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("partialSuccess")) return;
  const Json& part = json["partialSuccess"];
  if (!part.is_object()) return;
  answer.refused_points = countIn(part, "rejectedDataPoints");
  const std::string text = shown(textIn(part, "errorMessage"));
  if (answer.refused_points > 0) {
    answer.problem = absl::StrCat("the collector refused ",
                                  countOf(answer.refused_points, "data point"),
                                  text.empty() ? "" : ": ", text);
  } else {
    answer.problem = text;
  }
}

// Parses a Retry-After header: seconds or a date.
std::optional<std::chrono::seconds> retryAfter(const std::string& text,
                                               std::int64_t now_s) {
  std::int64_t seconds = 0;
  if (!absl::SimpleAtoi(text, &seconds)) {
    std::tm date{};
    const char* end = strptime(text.c_str(), "%a, %d %b %Y %T GMT", &date);
    if (!end || *end != '\0') return std::nullopt;
    seconds = timegm(&date) - now_s;
  }
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kMaxPauseS));
}

}  // namespace

std::string otlpMessage(const MetricFamilies& metrics, const std::string& host,
                        std::int64_t now_ns) {
  const std::vector<MetricSource>& sources = metrics.sources();
  std::vector<Json> metrics_of(sources.size(), Json::array());
  for (const auto& [name, family] : metrics.families()) {
    std::vector<Json> points(sources.size(), Json::array());
    for (const MetricSample& sample : family.samples) {
      points[sample.source].push_back(
          pointOf(sample, family.type, sources[sample.source], now_ns));
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (points[i].empty()) continue;
      metrics_of[i].push_back(metricOf(name, family, std::move(points[i])));
    }
  }
  const Json scope = {{"name", "traced"}, {"version", TRACED_VERSION}};
  Json resources = Json::array();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Json of_scope = {{"scope", scope}, {"metrics", std::move(metrics_of[i])}};
    Json all_scopes = Json::array();
    all_scopes.push_back(std::move(of_scope));
    resources.push_back({{"resource", resourceOf(sources[i], host)},
                         {"scopeMetrics", std::move(all_scopes)}});
  }
  return jsonText({{"resourceMetrics", std::move(resources)}}, -1);
}

OtlpAnswer otlpAnswer(const Result<HttpAnswer>& answer, std::int64_t now_s) {
  OtlpAnswer meaning;
  if (!answer) {
    meaning.problem = answer.error().message;
    return meaning;
  }
  meaning.is_taken = answer->status / 100 == 2;
  if (meaning.is_taken) {
    addRefused(answer->body, meaning);
    return meaning;
  }
  const Json json = Json::parse(answer->body, nullptr, false);
  const std::string text = json.is_object() ? textIn(json, "message") : "";
  meaning.problem = absl::StrCat("the collector answered ", answer->status, " ",
                                 shown(text.empty() ? answer->reason : text));
  switch (answer->status) {
    case 429:
    case 502:
    case 503:
    case 504:
      meaning.retry_after = retryAfter(answer->retry_after, now_s);
  }
  return meaning;
}

}  // namespace traced
