// What a collector's answer to a message means.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/serve/http/http_exchange.h"

namespace traced {

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
