// Sends a request to an HTTP server. The response is not trusted, so its size
// and time are bounded.

#pragma once

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace traced {

// The parts of a URL that are needed to send a request.
struct HttpUrl {
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string path;  // "" if the URL has none

  // Returns the host and port as a request names them, such as "node7:4318" or
  // "[::1]:4318".
  std::string authority() const;
};

// Parses a URL. `port` is used if the URL has none. Returns an Error for a bad
// URL, for TLS, and for a URL with a user name.
Result<HttpUrl> parseHttpUrl(const std::string& url, std::uint16_t port = 80);

struct HttpRequest {
  HttpUrl url;
  // Content type of the body. "" makes the request a GET without a body.
  std::string type;
  std::string body;
  // Sent as a bearer token unless "".
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

// Returns whether this build supports HTTP, which needs Boost.
bool canAskHttp();

// Sends a request and blocks until the response is complete, for at most the
// time in `bounds`. A lookup of the host's name can take longer. An Error
// explains why there was no response.
Result<HttpAnswer> askHttp(HttpRequest request, const HttpBounds& bounds);

// Returns the pause before the next request to a server that failed to answer.
// It starts at `every`, the usual interval. It doubles with each failure, up to
// the larger of `longest` and `every`. `before` is the number of consecutive
// failures before this one.
inline std::chrono::nanoseconds failurePause(std::chrono::nanoseconds every,
                                             std::chrono::nanoseconds longest,
                                             int before) {
  constexpr int kMaxDoublings = 16;
  const auto longer = every * (1 << std::min(before, kMaxDoublings));
  return std::min(longer, std::max(longest, every));
}

// Prevents commands of --on-verdict from inheriting a socket.
inline void closeOnExec(int descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace traced
