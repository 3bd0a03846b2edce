#include "cli/serve/http/http_exchange.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace traced {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::uint32_t kMaxAnswerHeader = 8 << 10;

// Runs one request and its response. All steps together have one deadline.
class Exchange {
 public:
  explicit Exchange(const HttpBounds& bounds)
      : deadline_(std::chrono::steady_clock::now() + bounds.longest),
        body_(bounds.most_body, '\0') {}

  beast::error_code connect(const HttpUrl& url) {
    beast::error_code error;
    const auto resolved =
        tcp::resolver(io_).resolve(url.host, absl::StrCat(url.port),
                                   tcp::resolver::numeric_service, error);
    if (error) return error;
    error = asio::error::host_not_found;
    for (const auto& entry : resolved) {
      stream_.socket().open(entry.endpoint().protocol(), error);
      if (error) continue;
      closeOnExec(stream_.socket().native_handle());
      error = finish(
          [&](auto done) { stream_.async_connect(entry.endpoint(), done); });
      if (!error) break;
      stream_.close();
    }
    return error;
  }

  beast::error_code write(const http::request<http::string_body>& request) {
    return finish(
        [&](auto done) { http::async_write(stream_, request, done); });
  }

  // Reads the response. A longer body than the buffer fails with
  // http::error::need_buffer. The claimed length is not trusted, so the buffer
  // always has the maximum size.
  beast::error_code read() {
    parser_.header_limit(kMaxAnswerHeader);
    parser_.get().body().data = body_.data();
    parser_.get().body().size = body_.size();
    return finish(
        [&](auto done) { http::async_read(stream_, buffer_, parser_, done); });
  }

  HttpAnswer answer() const {
    const auto& answer = parser_.get();
    return {answer.result_int(), std::string(answer.reason()),
            std::string(answer[http::field::retry_after]),
            body_.substr(0, body_.size() - answer.body().size)};
  }

 private:
  // Starts an asynchronous step and blocks until it completes. Returns its
  // error.
  template <typename Begin>
  beast::error_code finish(Begin begin) {
    beast::error_code result;
    stream_.expires_at(deadline_);
    begin([&result](beast::error_code error, auto&&...) { result = error; });
    io_.restart();
    io_.run();
    return result;
  }

  const std::chrono::steady_clock::time_point deadline_;
  asio::io_context io_{1};
  beast::tcp_stream stream_{io_};
  beast::flat_buffer buffer_{std::size_t{2} * kMaxAnswerHeader};
  std::string body_;
  http::response_parser<http::buffer_body> parser_;
};

// Returns the HTTP request: a GET without a content type, else a POST.
http::request<http::string_body> messageOf(HttpRequest request) {
  const bool is_get = request.type.empty();
  http::request<http::string_body> message{
      is_get ? http::verb::get : http::verb::post, request.url.path, 11};
  message.set(http::field::host, request.url.authority());
  message.set(http::field::user_agent, "tracectl/" TRACED_VERSION);
  if (!is_get) message.set(http::field::content_type, request.type);
  if (!request.token.empty()) {
    message.set(http::field::authorization, "Bearer " + request.token);
  }
  message.keep_alive(false);
  message.body() = std::move(request.body);
  message.prepare_payload();
  return message;
}

}  // namespace

bool canAskHttp() { return true; }

Result<HttpAnswer> askHttp(HttpRequest request, const HttpBounds& bounds) {
  Exchange exchange(bounds);
  beast::error_code error = exchange.connect(request.url);
  if (!error) error = exchange.write(messageOf(std::move(request)));
  if (!error) error = exchange.read();
  if (error == http::error::need_buffer || error == http::error::header_limit) {
    return Error{"the answer is longer than it may be"};
  }
  if (error) return Error{error.message()};
  return exchange.answer();
}

}  // namespace traced
