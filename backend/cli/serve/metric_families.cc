#include "cli/serve/metric_families.h"

namespace traced {

void MetricFamilies::gauge(const std::string& name, const char* help,
                           MetricLabels labels, double value) {
  add(name, MetricType::kGauge, help, {0, std::move(labels), value});
}

void MetricFamilies::counter(const std::string& name, const char* help,
                             MetricLabels labels, double value) {
  add(name, MetricType::kCounter, help, {0, std::move(labels), value});
}

void MetricFamilies::histogram(const std::string& name, const char* help,
                               MetricLabels labels,
                               const TimeBuckets& buckets) {
  add(name, MetricType::kHistogram, help, {0, std::move(labels), buckets});
}

void MetricFamilies::add(const std::string& name, MetricType type,
                         const char* help, MetricSample sample) {
  const auto [place, is_new] = families_.try_emplace(name);
  MetricFamily& family = place->second;
  if (is_new) {
    family.type = type;
    family.help = help;
  }
  sample.source = sources_.size() - 1;
  family.samples.push_back(std::move(sample));
}

}  // namespace traced
