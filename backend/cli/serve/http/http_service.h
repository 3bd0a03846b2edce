// HttpService answers GET requests with texts that are put there, in a thread
// of its own. What a request says is not trusted: its size and time are
// bounded.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace traced {

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  // Of a Unix socket, for this user alone, instead of an address; "": none.
  std::string socket_path;
  // Who asks must give it as a bearer token; "": nobody has to.
  std::string token;
};

class HttpService {
 public:
  struct Answer {
    std::string type;
    std::string body;
  };

  // An Error says which address, or socket, cannot be had, and why.
  static Result<std::unique_ptr<HttpService>> start(const HttpOptions& options);
  ~HttpService();
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;

  // 0 of a Unix socket.
  std::uint16_t port() const;
  // What is answered from now on, by path. Any thread.
  void answer(const std::string& path, Answer answer);

 private:
  class Server;

  explicit HttpService(std::unique_ptr<Server> server);

  std::unique_ptr<Server> server_;
};

}  // namespace traced
