// Replaces askHttp and HttpService in builds without Boost.

#include "cli/serve/http/http_exchange.h"
#include "cli/serve/http/http_service.h"

namespace traced {

bool canAskHttp() { return false; }

Result<HttpAnswer> askHttp(HttpRequest, const HttpBounds&) {
  return Error{"this tracectl was built without Boost and asks nobody"};
}

class HttpService::Server {};

Result<std::unique_ptr<HttpService>> HttpService::start(const HttpOptions&) {
  return Error{
      "this tracectl was built without Boost and answers no requests: give "
      "--no-http, and --textfile"};
}

HttpService::HttpService(std::unique_ptr<Server> server)
    : server_(std::move(server)) {}

HttpService::~HttpService() = default;

std::uint16_t HttpService::port() const { return 0; }

void HttpService::answer(const std::string&, Answer) {}

}  // namespace traced
