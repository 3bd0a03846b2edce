// Figures as OpenMetrics has them, which Prometheus and node_exporter read
// (https://prometheus.io/docs/specs/om/open_metrics_spec/).

#pragma once

#include <string>

#include "cli/serve/metric_families.h"

namespace traced {

std::string openMetricsText(const MetricFamilies& metrics);

}  // namespace traced
