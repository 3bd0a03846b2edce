// HttpAnswers builds the response to a request from texts stored by path.

#pragma once

#include <algorithm>
#include <boost/beast/http.hpp>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "cli/serve/http/http_access.h"
#include "cli/serve/http/http_service.h"

namespace traced {

// Thread safe.
class HttpAnswers {
 public:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;
  using Response =
      boost::beast::http::response<boost::beast::http::string_body>;

  // `checks_host` means that web pages can reach the address. Without a token,
  // the Host header of a request must then be a local name.
  HttpAnswers(std::string token, bool checks_host)
      : token_(std::move(token)), checks_host_(checks_host) {}

  // Sets the response to requests for `path`.
  void put(const std::string& path, HttpService::Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[path] = std::move(answer);
  }

  // Returns the response to a request, or an error response if it is not
  // allowed.
  Response to(const Request& request) {
    namespace http = boost::beast::http;
    Response response(http::status::ok, request.version());
    response.set(http::field::server, "tracectl");
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.keep_alive(false);
    const std::string path(
        request.target().substr(0, request.target().find('?')));
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(path);
    if (!isAllowed(request)) {
      response.result(http::status::unauthorized);
      response.set(http::field::www_authenticate, "Bearer");
    } else if (!isForThisHost(request)) {
      response.result(http::status::forbidden);
      response.set(http::field::content_type, "text/plain");
      response.body() =
          "The Host header must be an IP address or localhost. Start tracectl "
          "serve with --token-file to be asked by another name.\n";
    } else if (request.method() != http::verb::get &&
               request.method() != http::verb::head) {
      response.result(http::status::method_not_allowed);
      response.set(http::field::allow, "GET, HEAD");
    } else if (found == answers_.end()) {
      response.result(http::status::not_found);
    } else {
      response.set(http::field::content_type, found->second.type);
      response.body() = found->second.body;
    }
    response.prepare_payload();
    if (request.method() == http::verb::head) response.body().clear();
    return response;
  }

 private:
  bool isAllowed(const Request& request) const {
    if (token_.empty()) return true;
    constexpr std::string_view kScheme = "bearer ";
    const auto header = request[boost::beast::http::field::authorization];
    const std::string_view given(header.data(), header.size());
    return absl::StartsWithIgnoreCase({given.data(), given.size()},
                                      {kScheme.data(), kScheme.size()}) &&
           isSameToken(tokenIn(given.substr(kScheme.size())), token_);
  }

  bool isForThisHost(const Request& request) const {
    if (!checks_host_ || !token_.empty()) return true;
    const auto hosts = request.equal_range(boost::beast::http::field::host);
    return std::all_of(hosts.first, hosts.second, [](const auto& field) {
      return isLocalName({field.value().data(), field.value().size()});
    });
  }

  const std::string token_;
  const bool checks_host_;
  std::mutex mutex_;
  std::map<std::string, HttpService::Answer> answers_;
};

}  // namespace traced
