// HttpService answers GET requests with stored texts, on its own thread.
// Requests are not trusted, so their size and time are bounded.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace traced {

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0 chooses any free port
  // Path of a Unix socket for this user alone, used instead of the address
  // unless "".
  std::string socket_path;
  // Bearer token that each request must carry; "" requires none.
  std::string token;
};

class HttpService {
 public:
  struct Answer {
    std::string type;
    std::string body;
  };

  // Starts the service. An Error names the address or socket that cannot be
  // used, and why.
  static Result<std::unique_ptr<HttpService>> start(const HttpOptions& options);
  ~HttpService();
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;

  // Returns the port, or 0 for a Unix socket.
  std::uint16_t port() const;
  // Sets the answer to requests for `path`. Thread safe.
  void answer(const std::string& path, Answer answer);

 private:
  class Server;

  explicit HttpService(std::unique_ptr<Server> server);

  std::unique_ptr<Server> server_;
};

}  // namespace traced
