// HttpListener takes connections at an address, or at a Unix socket, and gives
// each the answer to one request.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "cli/serve/http/close_on_exec.h"
#include "cli/serve/http/http_answers.h"

namespace traced {

// `Protocol`: boost::asio::ip::tcp, or boost::asio::local::stream_protocol.
template <typename Protocol>
class HttpListener {
 public:
  using Acceptor = typename Protocol::acceptor;

  static constexpr std::size_t kMostHeaderBytes = 8 << 10;
  static constexpr std::chrono::seconds kLongestRequest{10};
  static constexpr int kMostConnections = 64;

  explicit HttpListener(HttpAnswers& answers)
      : answers_(answers), acceptor_(io_), pause_(io_) {}

  ~HttpListener() {
    boost::asio::post(io_, [this] { io_.stop(); });
    if (thread_.joinable()) thread_.join();
  }

  // To be bound before run().
  Acceptor& acceptor() { return acceptor_; }

  // Answers in a thread of its own.
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
  int connections_ = 0;
  // Sessions end with it, and count themselves.
  boost::asio::io_context io_{1};
  Acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::thread thread_;
};

// One request, and the end of the connection.
template <typename Protocol>
class HttpListener<Protocol>::Session
    : public std::enable_shared_from_this<Session> {
 public:
  Session(HttpListener& listener, typename Protocol::socket socket)
      : listener_(listener), stream_(std::move(socket)) {
    ++listener_.connections_;
  }
  ~Session() { --listener_.connections_; }

  void run() {
    parser_.header_limit(kMostHeaderBytes);
    stream_.expires_after(kLongestRequest);
    boost::beast::http::async_read(
        stream_, buffer_, parser_,
        [self = this->shared_from_this()](boost::beast::error_code error,
                                          std::size_t) {
          if (!error) self->write();
        });
  }

 private:
  void write() {
    response_ = listener_.answers_.to(parser_.get());
    stream_.expires_after(kLongestRequest);
    boost::beast::http::async_write(stream_, response_,
                                    [self = this->shared_from_this()](
                                        boost::beast::error_code, std::size_t) {
                                      boost::beast::error_code ignored;
                                      self->stream_.socket().shutdown(
                                          Protocol::socket::shutdown_send,
                                          ignored);
                                    });
  }

  HttpListener& listener_;
  boost::beast::basic_stream<Protocol> stream_;
  boost::beast::flat_buffer buffer_{2 * kMostHeaderBytes};
  boost::beast::http::request_parser<boost::beast::http::empty_body> parser_;
  HttpAnswers::Response response_;
};

template <typename Protocol>
void HttpListener<Protocol>::accept() {
  acceptor_.async_accept(
      [this](boost::beast::error_code error, typename Protocol::socket socket) {
        if (error) {
          // There are no descriptors left, for instance: not again at once.
          pause_.expires_after(kPauseAfterError);
          pause_.async_wait([this](boost::beast::error_code) { accept(); });
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

}  // namespace traced
