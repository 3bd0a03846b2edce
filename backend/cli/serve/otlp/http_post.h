// Posts a text to an HTTP server. What the server answers is not trusted: its
// size and time are bounded.

#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "cli/serve/otlp/http_url.h"

namespace traced {

struct HttpAnswer {
  unsigned status = 0;
  std::string reason;
  std::string retry_after;  // the header of that name
  std::string body;
};

// Whether this was built with what it takes.
bool canPostHttp();

// Takes no longer than `longest`, and as long as it takes to look up the name
// of the host. An Error says why there is no answer.
Result<HttpAnswer> postHttp(const HttpUrl& url, const std::string& type,
                            std::string body, std::chrono::seconds longest);

}  // namespace traced
