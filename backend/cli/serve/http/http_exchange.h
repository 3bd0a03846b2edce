// Asks an HTTP server. What the server answers is not trusted: its size and
// time are bounded.

#pragma once

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace traced {

// The parts of a URL that a request is sent to.
struct HttpUrl {
  std::string host;  // of an address of IPv6 without its brackets
  std::uint16_t port = 80;
  std::string path;  // "": it has none

  // "node7:4318", "[::1]:4318": as a request names it.
  std::string authority() const;
};

// An Error says what is wrong with it. TLS is not spoken, and a URL with a user
// in it is refused.
// `port`: of one that names none.
Result<HttpUrl> parseHttpUrl(const std::string& url, std::uint16_t port = 80);

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

// Returns how long to leave a server alone that does not answer. `every`: how
// often it is asked otherwise. After a failure it is as long, then twice as
// long, and so on, up to `longest` or `every`. `before`: failures in a row
// before this one.
inline std::chrono::nanoseconds failurePause(std::chrono::nanoseconds every,
                                             std::chrono::nanoseconds longest,
                                             int before) {
  constexpr int kMaxDoublings = 16;
  const auto longer = every * (1 << std::min(before, kMaxDoublings));
  return std::min(longer, std::max(longest, every));
}

// Keeps a socket from the commands that --on-verdict starts.
inline void closeOnExec(int descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace traced
