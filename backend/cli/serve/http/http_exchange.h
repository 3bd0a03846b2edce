// Asks an HTTP server. What the server answers is not trusted: its size and
// time are bounded.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "cli/serve/http/http_url.h"

namespace traced {

struct HttpRequest {
  HttpUrl url;
  // "": it is a GET without a body.
  std::string type;
  std::string body;
  // Goes along as a bearer token; "": none does.
  std::string token;
};

struct HttpBounds {
  std::chrono::nanoseconds longest{};
  std::size_t most_body = 0;
};

struct HttpAnswer {
  unsigned status = 0;
  std::string reason;
  std::string retry_after;  // the header of that name
  std::string body;
};

// Whether this was built with what it takes.
bool canAskHttp();

// Takes no longer than `bounds` says, and as long as it takes to look up the
// name of the host. An Error says why there is no answer.
Result<HttpAnswer> askHttp(HttpRequest request, const HttpBounds& bounds);

}  // namespace traced
