// OpenTelemetry's protocol in its JSON form: builds messages of metrics and
// parses responses of a collector
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp).

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/serve/http/http_exchange.h"
#include "cli/serve/metric_families.h"

namespace traced {

// Returns an ExportMetricsServiceRequest with a resource for each source.
// `now_ns` is nanoseconds since the Unix epoch.
std::string otlpMessage(const MetricFamilies& metrics, const std::string& host,
                        std::int64_t now_ns);

struct OtlpAnswer {
  // True also if the collector refused parts of the message. Nothing must be
  // sent again.
  bool is_taken = false;
  std::uint64_t refused_points = 0;
  // Describes a failure to the user; "" if there was none.
  std::string problem;
  // Pause that the collector asks for, at most 5 minutes.
  std::optional<std::chrono::seconds> retry_after;
};

// Interprets a collector's response. `now_s` is seconds since the Unix epoch.
OtlpAnswer otlpAnswer(const Result<HttpAnswer>& answer, std::int64_t now_s);

}  // namespace traced
