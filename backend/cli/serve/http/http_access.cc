#include "cli/serve/http/http_access.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace traced {
namespace {

bool isAddress(int family, std::string_view text) {
  char address[sizeof(in6_addr)];
  return inet_pton(family, std::string(text).c_str(), address) == 1;
}

// Accepts "" and ":PORT".
bool isPort(std::string_view text) {
  return text.empty() ||
         (text.front() == ':' &&
          text.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

}  // namespace

bool isLocalName(std::string_view host) {
  if (host.find('\0') != std::string_view::npos) return false;
  if (!host.empty() && host.front() == '[') {
    const std::size_t end = host.find(']');
    return end != std::string_view::npos && isPort(host.substr(end + 1)) &&
           isAddress(AF_INET6, host.substr(1, end - 1));
  }
  const std::size_t colon = std::min(host.find(':'), host.size());
  const std::string_view name = host.substr(0, colon);
  return isPort(host.substr(colon)) &&
         (isAddress(AF_INET, name) ||
          absl::EqualsIgnoreCase({name.data(), name.size()}, "localhost"));
}

}  // namespace traced
