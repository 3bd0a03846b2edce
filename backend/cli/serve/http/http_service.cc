#include "cli/serve/http/http_service.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/serve/http/http_listener.h"
#include "phrasing/text.h"

namespace traced {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using unix_socket = asio::local::stream_protocol;

// Returns whether no process listens on the socket. Does not block: a listener
// with a full queue still counts as one.
bool isLeftBehind(const std::string& path) {
  struct stat found;
  if (lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) {
    return false;
  }
  const unix_socket::endpoint endpoint(path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const bool refused = fd >= 0 &&
                       connect(fd, endpoint.data(), endpoint.size()) != 0 &&
                       errno == ECONNREFUSED;
  if (fd >= 0) close(fd);
  return refused;
}

}  // namespace

class HttpService::Server {
 public:
  explicit Server(HttpOptions options)
      : options_(std::move(options)),
        answers_(options_.token, options_.socket_path.empty()) {}

  // Removes the socket, unless another process has replaced it.
  ~Server() {
    struct stat now;
    const char* path = options_.socket_path.c_str();
    if (unix_ && lstat(path, &now) == 0 && now.st_dev == made_.st_dev &&
        now.st_ino == made_.st_ino) {
      unlink(path);
    }
  }

  std::optional<Error> listen() {
    return options_.socket_path.empty() ? listenAtAddress() : listenAtSocket();
  }

  std::uint16_t port() const { return port_; }
  HttpAnswers& answers() { return answers_; }

 private:
  using TcpListener = HttpListener<tcp>;
  using UnixListener = HttpListener<unix_socket>;

  std::optional<Error> listenAtAddress() {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options_.address, error);
    if (error) {
      return Error{absl::StrCat("--listen: ", printable(options_.address),
                                " is no address of IPv4 or IPv6")};
    }
    auto listener = std::make_unique<TcpListener>(answers_);
    TcpListener::Acceptor& acceptor = listener->acceptor();
    const tcp::endpoint endpoint(address, options_.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error)
      acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return Error{absl::StrCat("--listen: ", options_.address, ":",
                                options_.port,
                                ": cannot listen: ", error.message(),
                                "; choose another port, or 0 for any")};
    }
    port_ = acceptor.local_endpoint().port();
    listener->run();
    tcp_ = std::move(listener);
    return std::nullopt;
  }

  std::optional<Error> listenAtSocket() {
    const std::string& path = options_.socket_path;
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
      return Error{
          absl::StrCat("--listen: the path of a Unix socket has at "
                       "most ",
                       sizeof(sockaddr_un::sun_path) - 1, " bytes")};
    }
    if (isLeftBehind(path)) unlink(path.c_str());
    auto listener = std::make_unique<UnixListener>(answers_);
    UnixListener::Acceptor& acceptor = listener->acceptor();
    boost::system::error_code error;
    acceptor.open(unix_socket(), error);
    if (!error) acceptor.bind(unix_socket::endpoint(path), error);
    // Restrict the file before listening: until then, no client can connect.
    if (!error && (chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 ||
                   lstat(path.c_str(), &made_) != 0)) {
      error.assign(errno, boost::system::system_category());
    }
    if (!error)
      acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return Error{absl::StrCat("--listen: ", printable(path),
                                ": cannot listen: ", error.message())};
    }
    listener->run();
    unix_ = std::move(listener);
    return std::nullopt;
  }

  const HttpOptions options_;
  std::uint16_t port_ = 0;
  HttpAnswers answers_;
  std::unique_ptr<TcpListener> tcp_;
  std::unique_ptr<UnixListener> unix_;
  // File status of the socket of unix_, to recognize it later.
  struct stat made_ = {};
};

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
  server_->answers().put(path, std::move(answer));
}

}  // namespace traced
