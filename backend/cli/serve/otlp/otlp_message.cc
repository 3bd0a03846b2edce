#include "cli/serve/otlp/otlp_message.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/common/json.h"

namespace traced {
namespace {

// AGGREGATION_TEMPORALITY_CUMULATIVE: names of enums are not in the JSON.
constexpr int kCumulative = 2;

// As UCUM has it, of what a name says.
const char* unitOf(const std::string& name) {
  for (const auto& word : absl::StrSplit(name, '_')) {
    if (word == "seconds") return "s";
    if (word == "microseconds") return "us";
    if (word == "bytes") return "By";
  }
  return "";
}

// Integers of 64 bits are texts there.
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

}  // namespace traced
