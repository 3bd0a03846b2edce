// Exposition writes figures as OpenMetrics has them, which Prometheus and
// node_exporter read (https://prometheus.io/docs/specs/om/open_metrics_spec/).

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace traced {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class Exposition {
 public:
  enum class Type { kGauge, kCounter, kHistogram };

  // Begins a family, or goes on with it: what is added later is of it.
  // `name`: without the suffix that its type asks for.
  void family(const std::string& name, Type type, const std::string& help);
  // `suffix`: such as "_bucket", of a histogram. A counter's is added.
  void add(const MetricLabels& labels, double value,
           const std::string& suffix = "");

  // All families, and the end.
  std::string text() const;

 private:
  struct Family {
    Type type = Type::kGauge;
    std::string help;
    std::string samples;
  };

  std::map<std::string, Family> families_;
  std::map<std::string, Family>::iterator current_ = families_.end();
};

}  // namespace traced
