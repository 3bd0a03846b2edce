// HttpListener accepts connections at an address or a Unix socket, and answers
// one request on each.

#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "cli/serve/http/connection_pool.h"
#include "cli/serve/http/http_answers.h"
#include "cli/serve/http/http_exchange.h"

namespace traced {

// Returns the source of a connection: its IPv4 address, or the network of its
// IPv6 address, because one host can have many of these.
inline std::string sourceOf(const boost::asio::ip::tcp::socket& socket) {
  boost::beast::error_code error;
  const auto address = socket.remote_endpoint(error).address();
  if (error || address.is_v4()) return address.to_string(error);
  const auto bytes = address.to_v6().to_bytes();
  const std::size_t size =
      address.to_v6().is_v4_mapped() ? bytes.size() : bytes.size() / 2;
  return std::string(bytes.begin(), bytes.begin() + size);
}
// Returns one source for all, because only this user can connect to a Unix
// socket.
inline std::string sourceOf(
    const boost::asio::local::stream_protocol::socket&) {
  return "";
}

// `Protocol` is boost::asio::ip::tcp or boost::asio::local::stream_protocol.
template <typename Protocol>
class HttpListener {
 public:
  using Acceptor = typename Protocol::acceptor;

  static constexpr std::size_t kMaxHeaderBytes = 8 << 10;
  static constexpr std::chrono::seconds kMaxRequest{10};
  // Maximum number of connections without a complete request or with a rejected
  // one.
  static constexpr std::size_t kMaxAsking = 256;
  // Maximum number of connections that receive an answer, which takes memory.
  static constexpr std::size_t kMaxAnswered = 64;

  explicit HttpListener(HttpAnswers& answers)
      : answers_(answers), acceptor_(io_), pause_(io_) {}

  ~HttpListener() {
    boost::asio::post(io_, [this] { io_.stop(); });
    if (thread_.joinable()) thread_.join();
  }

  // Returns the acceptor, which must be bound before run().
  Acceptor& acceptor() { return acceptor_; }

  // Starts a thread that answers requests. Call it once.
  void run() {
    closeOnExec(acceptor_.native_handle());
    accept();
    thread_ = std::thread([this] { io_.run(); });
  }

 private:
  class Session;

  static constexpr std::chrono::milliseconds kPauseAfterError{200};

  void accept();

  HttpAnswers& answers_;
  ConnectionPool asking_{kMaxAsking};
  ConnectionPool answered_{kMaxAnswered};
  // Destroying it ends all sessions, which then leave their pools. It is
  // declared after the pools.
  boost::asio::io_context io_{1};
  Acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::thread thread_;
};

// Handles one request, then closes the connection.
template <typename Protocol>
class HttpListener<Protocol>::Session
    : public std::enable_shared_from_this<Session>,
      public PooledConnection {
 public:
  Session(HttpListener& listener, typename Protocol::socket socket)
      : listener_(listener),
        source_(sourceOf(socket)),
        stream_(std::move(socket)) {
    listener_.asking_.add(*this, source_);
  }
  ~Session() override { leave(); }

  void close() override { stream_.close(); }

  // Reads the header only and answers before any body, because no path accepts
  // one.
  void run() {
    parser_.header_limit(kMaxHeaderBytes);
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
    stream_.expires_after(kMaxRequest);
    boost::beast::http::async_read_header(
        stream_, buffer_, parser_,
        [self = this->shared_from_this()](boost::beast::error_code error,
                                          std::size_t) {
          if (!error) self->write();
        });
  }

 private:
  static constexpr std::chrono::seconds kMaxDrain{2};
  static constexpr std::size_t kMaxDrainedBytes = 64 << 10;

  void leave() {
    listener_.asking_.remove(*this);
    listener_.answered_.remove(*this);
  }

  void write() {
    response_ = listener_.answers_.to(parser_.get());
    if (response_.result() == boost::beast::http::status::ok) {
      leave();
      listener_.answered_.add(*this, source_);
    }
    stream_.expires_after(kMaxRequest);
    boost::beast::http::async_write(
        stream_, response_,
        [self = this->shared_from_this()](boost::beast::error_code error,
                                          std::size_t) {
          boost::beast::error_code ignored;
          self->stream_.socket().shutdown(Protocol::socket::shutdown_send,
                                          ignored);
          if (error || self->parser_.is_done()) return;
          self->stream_.expires_after(kMaxDrain);
          self->drain();
        });
  }

  // Reads and discards the rest of the request. Closing a socket with unread
  // bytes can destroy the answer before the client has read it.
  void drain() {
    stream_.async_read_some(
        boost::asio::buffer(drained_),
        [self = this->shared_from_this()](boost::beast::error_code error,
                                          std::size_t bytes) {
          self->drained_bytes_ += bytes;
          if (!error && self->drained_bytes_ < kMaxDrainedBytes) self->drain();
        });
  }

  HttpListener& listener_;
  const std::string source_;
  boost::beast::basic_stream<Protocol> stream_;
  boost::beast::flat_buffer buffer_{2 * kMaxHeaderBytes};
  boost::beast::http::request_parser<boost::beast::http::empty_body> parser_;
  HttpAnswers::Response response_;
  std::array<char, 4096> drained_;
  std::size_t drained_bytes_ = 0;
};

template <typename Protocol>
void HttpListener<Protocol>::accept() {
  acceptor_.async_accept(
      [this](boost::beast::error_code error, typename Protocol::socket socket) {
        if (error) {
          // Waits, for instance because no file descriptors are left.
          pause_.expires_after(kPauseAfterError);
          pause_.async_wait([this](boost::beast::error_code) { accept(); });
          return;
        }
        closeOnExec(socket.native_handle());
        std::make_shared<Session>(*this, std::move(socket))->run();
        accept();
      });
}

}  // namespace traced
