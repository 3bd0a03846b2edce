// MetricFamilies holds the metrics of watched jobs, independent of an output
// format.

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

// Returns the labels of both.
MetricLabels joined(MetricLabels all, MetricLabels more);
// Converts a time to the unit of metrics.
double metricSeconds(std::uint64_t ns);

enum class MetricType { kGauge, kCounter, kHistogram };

// The job, or `serve`, that samples belong to.
struct MetricSource {
  // Name of the job; "" for `serve` itself.
  std::string job;
  // Start of its counters, in nanoseconds since the Unix epoch.
  std::int64_t began_ns = 0;
};

struct MetricSample {
  std::size_t source = 0;
  MetricLabels labels;
  // A histogram's buckets are in nanoseconds.
  std::variant<double, TimeBuckets> value;
};

struct MetricFamily {
  MetricType type = MetricType::kGauge;
  std::string help;
  std::vector<MetricSample> samples;
};

class MetricFamilies {
 public:
  // Makes `source` the source of all samples added from now on.
  void begin(MetricSource source) { sources_.push_back(std::move(source)); }

  // Adds a sample. `name` has no suffix that an output format requires, such as
  // "_total".
  void gauge(const std::string& name, const char* help, MetricLabels labels,
             double value);
  void counter(const std::string& name, const char* help, MetricLabels labels,
               double value);
  void histogram(const std::string& name, const char* help, MetricLabels labels,
                 const TimeBuckets& buckets);

  const std::vector<MetricSource>& sources() const { return sources_; }
  // Returns the families, sorted by name.
  const std::map<std::string, MetricFamily>& families() const {
    return families_;
  }

 private:
  void add(const std::string& name, MetricType type, const char* help,
           MetricSample sample);

  std::vector<MetricSource> sources_;
  std::map<std::string, MetricFamily> families_;
};

// Returns the metrics in the OpenMetrics text format, for Prometheus and
// node_exporter (https://prometheus.io/docs/specs/om/open_metrics_spec/).
std::string openMetricsText(const MetricFamilies& metrics);

}  // namespace traced
