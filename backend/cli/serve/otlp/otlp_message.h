// Figures as OpenTelemetry's protocol has them, in its JSON form
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp).

#pragma once

#include <cstdint>
#include <string>

#include "cli/serve/metric_families.h"

namespace traced {

// An ExportMetricsServiceRequest, with a resource for each source. `now_ns`: on
// the clock of the day.
std::string otlpMessage(const MetricFamilies& metrics, const std::string& host,
                        std::int64_t now_ns);

}  // namespace traced
