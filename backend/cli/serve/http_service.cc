#include "cli/serve/http_service.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/serve/close_on_exec.h"
#include "cli/serve/same_token.h"

namespace traced {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::size_t kMostHeaderBytes = 8 << 10;
constexpr std::chrono::seconds kLongestRequest{10};
constexpr int kMostConnections = 64;

constexpr std::chrono::milliseconds kPauseAfterError{200};

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

}  // namespace

class HttpService::Server {
 public:
  explicit Server(HttpOptions options)
      : options_(std::move(options)), acceptor_(io_), pause_(io_) {}

  ~Server() {
    asio::post(io_, [this] { io_.stop(); });
    if (thread_.joinable()) thread_.join();
  }

  std::optional<Error> listen() {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options_.address, error);
    if (error) {
      return Error{absl::StrCat("--listen: ", options_.address,
                                " is no address of IPv4 or IPv6")};
    }
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kMostConnections, error);
    if (error) {
      return Error{absl::StrCat("--listen: ", options_.address, ":",
                                options_.port,
                                " cannot be had: ", error.message(),
                                "; choose another port, or 0 for any")};
    }
    closeOnExec(acceptor_.native_handle());
    port_ = acceptor_.local_endpoint().port();
    accept();
    thread_ = std::thread([this] { io_.run(); });
    return std::nullopt;
  }

  std::uint16_t port() const { return port_; }

  void answer(const std::string& path, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[path] = std::move(answer);
  }

 private:
  class Session;

  void accept();
  Response answerTo(const Request& request) {
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

  bool isAllowed(const Request& request) const {
    if (options_.token.empty()) return true;
    const auto given = request[http::field::authorization];
    return isSameToken({given.data(), given.size()},
                       "Bearer " + options_.token);
  }

  const HttpOptions options_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  int connections_ = 0;
  // Sessions end with it, and count themselves.
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::thread thread_;
};

// One request, and the end of the connection.
class HttpService::Server::Session
    : public std::enable_shared_from_this<Session> {
 public:
  Session(Server& server, tcp::socket socket)
      : server_(server), stream_(std::move(socket)) {
    ++server_.connections_;
  }
  ~Session() { --server_.connections_; }

  void run() {
    parser_.header_limit(kMostHeaderBytes);
    stream_.expires_after(kLongestRequest);
    http::async_read(
        stream_, buffer_, parser_,
        [self = shared_from_this()](beast::error_code error, std::size_t) {
          if (!error) self->write();
        });
  }

 private:
  void write() {
    response_ = server_.answerTo(parser_.get());
    stream_.expires_after(kLongestRequest);
    http::async_write(
        stream_, response_,
        [self = shared_from_this()](beast::error_code, std::size_t) {
          beast::error_code ignored;
          self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
  }

  Server& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{2 * kMostHeaderBytes};
  http::request_parser<http::empty_body> parser_;
  Response response_;
};

void HttpService::Server::accept() {
  acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (error) {
      // There are no descriptors left, for instance: not again at once.
      pause_.expires_after(kPauseAfterError);
      pause_.async_wait([this](beast::error_code) { accept(); });
      return;
    }
    closeOnExec(socket.native_handle());
    // Too many at once are closed unanswered.
    if (connections_ < kMostConnections) {
      std::make_shared<Session>(*this, std::move(socket))->run();
    }
    accept();
  });
}

Result<std::unique_ptr<HttpService>> HttpService::start(
    const HttpOptions& options) {
  auto server = std::make_unique<Server>(options);
  if (auto error = server->listen()) return *std::move(error);
  return std::unique_ptr<HttpService>(new HttpService(std::move(server)));
}

HttpService::HttpService(std::unique_ptr<Server> server)
    : server_(std::move(server)) {}

HttpService::~HttpService() = default;

std::uint16_t HttpService::port() const { return server_->port(); }

void HttpService::answer(const std::string& path, Answer answer) {
  server_->answer(path, std::move(answer));
}

}  // namespace traced
