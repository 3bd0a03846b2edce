// MetricFamilies are the figures that are told of watched jobs, whatever the
// form in which they are told.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/live/time_buckets.h"

namespace traced {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

enum class MetricType { kGauge, kCounter, kHistogram };

// Whom samples are of.
struct MetricSource {
  // Of the job; "": `serve` itself.
  std::string job;
  // When its counters began, on the clock of the day.
  std::int64_t began_ns = 0;
};

struct MetricSample {
  std::size_t source = 0;
  MetricLabels labels;
  // Buckets, in nanoseconds, of a histogram.
  std::variant<double, TimeBuckets> value;
};

struct MetricFamily {
  MetricType type = MetricType::kGauge;
  std::string help;
  std::vector<MetricSample> samples;
};

class MetricFamilies {
 public:
  // What is added from now on is of this one.
  void begin(MetricSource source) { sources_.push_back(std::move(source)); }

  // `name`: without the suffixes that a form asks for.
  void gauge(const std::string& name, const char* help, MetricLabels labels,
             double value);
  void counter(const std::string& name, const char* help, MetricLabels labels,
               double value);
  void histogram(const std::string& name, const char* help, MetricLabels labels,
                 const TimeBuckets& buckets);

  const std::vector<MetricSource>& sources() const { return sources_; }
  // By name.
  const std::map<std::string, MetricFamily>& families() const {
    return families_;
  }

 private:
  void add(const std::string& name, MetricType type, const char* help,
           MetricSample sample);

  std::vector<MetricSource> sources_;
  std::map<std::string, MetricFamily> families_;
};

// Returns figures in the form that Prometheus and node_exporter read
// (https://prometheus.io/docs/specs/om/open_metrics_spec/).
std::string openMetricsText(const MetricFamilies& metrics);

}  // namespace traced
