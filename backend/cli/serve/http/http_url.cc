#include <algorithm>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/serve/http/http_exchange.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::string_view kPlain = "http://";

Error wrongUrl(const std::string& url, const char* why) {
  return Error{absl::StrCat(printable(url), " ", why)};
}

// Returns whether the URL has no character that could end the request line
// early.
bool isOneWord(const std::string& url) {
  return std::all_of(url.begin(), url.end(),
                     [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

std::string HttpUrl::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return absl::StrCat(is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", ":", port);
}

Result<HttpUrl> parseHttpUrl(const std::string& url, std::uint16_t port) {
  if (url.rfind("https://", 0) == 0) {
    return wrongUrl(url,
                    "asks for TLS, which is not spoken here: give the http:// "
                    "address of a collector on this host, which sends on");
  }
  if (url.rfind(kPlain, 0) != 0 || !isOneWord(url)) {
    return wrongUrl(url, "is no URL such as http://127.0.0.1:4318");
  }
  HttpUrl parts;
  parts.port = port;
  std::string authority = url.substr(kPlain.size());
  const std::size_t end = authority.find_first_of("/?#");
  if (end != std::string::npos) {
    parts.path = authority.substr(end);
    authority.resize(end);
    if (parts.path[0] != '/') return wrongUrl(url, "has no path");
  }
  if (authority.find('@') != std::string::npos) {
    return Error{"a URL with a user in it is not taken"};
  }
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  if (colon != std::string::npos &&
      (bracket == std::string::npos || bracket < colon)) {
    std::uint32_t named = 0;
    if (!absl::SimpleAtoi(authority.substr(colon + 1), &named) || named == 0 ||
        named > 65535) {
      return wrongUrl(url, "has no port from 1 to 65535");
    }
    parts.port = static_cast<std::uint16_t>(named);
    authority.resize(colon);
  }
  if (bracket != std::string::npos)
    authority = authority.substr(1, bracket - 1);
  if (authority.empty()) return wrongUrl(url, "names no host");
  parts.host = authority;
  return parts;
}

}  // namespace traced
