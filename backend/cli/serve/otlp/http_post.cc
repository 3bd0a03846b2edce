#include "cli/serve/otlp/http_post.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/serve/close_on_exec.h"

namespace traced {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::uint32_t kMostAnswerHeader = 8 << 10;
constexpr std::size_t kMostAnswerBody = 64 << 10;

// One request and its answer. All of its steps together end in time.
class Exchange {
 public:
  explicit Exchange(std::chrono::seconds longest)
      : deadline_(std::chrono::steady_clock::now() + longest) {}

  beast::error_code connect(const HttpUrl& url) {
    beast::error_code error;
    const auto places =
        tcp::resolver(io_).resolve(url.host, absl::StrCat(url.port),
                                   tcp::resolver::numeric_service, error);
    if (error) return error;
    error = asio::error::host_not_found;
    for (const auto& place : places) {
      stream_.socket().open(place.endpoint().protocol(), error);
      if (error) continue;
      closeOnExec(stream_.socket().native_handle());
      error = finish(
          [&](auto done) { stream_.async_connect(place.endpoint(), done); });
      if (!error) break;
      stream_.close();
    }
    return error;
  }

  beast::error_code write(const http::request<http::string_body>& request) {
    return finish(
        [&](auto done) { http::async_write(stream_, request, done); });
  }

  // What does not fit is an error: http::error::need_buffer.
  beast::error_code read() {
    parser_.header_limit(kMostAnswerHeader);
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
  // Begins a step, and returns what it ended with.
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
  beast::flat_buffer buffer_{2 * kMostAnswerHeader};
  std::string body_ = std::string(kMostAnswerBody, '\0');
  http::response_parser<http::buffer_body> parser_;
};

}  // namespace

bool canPostHttp() { return true; }

Result<HttpAnswer> postHttp(const HttpUrl& url, const std::string& type,
                            std::string body, std::chrono::seconds longest) {
  http::request<http::string_body> request{http::verb::post, url.path, 11};
  request.set(http::field::host, url.authority());
  request.set(http::field::user_agent, "tracectl/" TRACED_VERSION);
  request.set(http::field::content_type, type);
  request.keep_alive(false);
  request.body() = std::move(body);
  request.prepare_payload();
  Exchange exchange(longest);
  beast::error_code error = exchange.connect(url);
  if (!error) error = exchange.write(request);
  if (!error) error = exchange.read();
  if (error == http::error::need_buffer) {
    return Error{"the answer is longer than it may be"};
  }
  if (error) return Error{error.message()};
  return exchange.answer();
}

}  // namespace traced
