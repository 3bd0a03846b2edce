// HttpAnswers are the texts that requests are answered with, by path.

#pragma once

#include <boost/beast/http.hpp>
#include <map>
#include <mutex>
#include <string>

#include "cli/serve/http/http_service.h"
#include "cli/serve/http/same_token.h"

namespace traced {

// Any thread.
class HttpAnswers {
 public:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;
  using Response =
      boost::beast::http::response<boost::beast::http::string_body>;

  explicit HttpAnswers(std::string token) : token_(std::move(token)) {}

  void put(const std::string& path, HttpService::Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[path] = std::move(answer);
  }

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
    const auto given = request[boost::beast::http::field::authorization];
    return isSameToken({given.data(), given.size()}, "Bearer " + token_);
  }

  const std::string token_;
  std::mutex mutex_;
  std::map<std::string, HttpService::Answer> answers_;
};

}  // namespace traced
