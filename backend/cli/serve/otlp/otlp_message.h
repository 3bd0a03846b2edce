// OpenTelemetry's protocol in its JSON form: figures as a message, and what a
// collector answers (https://opentelemetry.io/docs/specs/otlp/#otlphttp).

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/serve/http/http_exchange.h"
#include "cli/serve/metric_families.h"

namespace traced {

// An ExportMetricsServiceRequest, with a resource for each source. `now_ns`: on
// the clock of the day.
std::string otlpMessage(const MetricFamilies& metrics, const std::string& host,
                        std::int64_t now_ns);

struct OtlpAnswer {
  // Also where parts of it were refused: nothing is to be sent again.
  bool is_taken = false;
  std::uint64_t refused_points = 0;
  // What is wrong, for people; "": nothing is.
  std::string problem;
  // When the collector wants to be asked again: at most 5 minutes.
  std::optional<std::chrono::seconds> retry_after;
};

// `now_s`: on the clock of the day.
OtlpAnswer otlpAnswer(const Result<HttpAnswer>& answer, std::int64_t now_s);

}  // namespace traced
