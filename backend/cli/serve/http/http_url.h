// The parts of a URL that a request is sent to.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace traced {

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

}  // namespace traced
