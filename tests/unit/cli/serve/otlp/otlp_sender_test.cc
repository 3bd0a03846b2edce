// Tests a collector that never responds.

#include "cli/serve/otlp/otlp_sender.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "cli/serve/http/http_exchange.h"

namespace traced {
namespace {

class SilentCollector {
 public:
  SilentCollector() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, any, size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    EXPECT_EQ(getsockname(listener_, any, &size), 0);
    url_.host = "127.0.0.1";
    url_.port = ntohs(address.sin_port);
  }
  ~SilentCollector() {
    close(connection_);
    close(listener_);
  }
  SilentCollector(const SilentCollector&) = delete;
  SilentCollector& operator=(const SilentCollector&) = delete;

  const HttpUrl& url() const { return url_; }
  void accept() { connection_ = ::accept(listener_, nullptr, nullptr); }

  // Returns whether the sender still waits for a response.
  bool isConnected() const {
    char request[4096];
    ssize_t bytes = 0;
    do {
      bytes = recv(connection_, request, sizeof request, MSG_DONTWAIT);
    } while (bytes > 0);
    return bytes < 0 && errno == EAGAIN;
  }

 private:
  int listener_;
  int connection_ = -1;
  HttpUrl url_;
};

TEST(OtlpSenderTest, EndsWhileTheCollectorIsSilent) {
  if (!canAskHttp()) GTEST_SKIP() << "built without Boost";
  SilentCollector collector;
  {
    OtlpSender sender(collector.url(), std::chrono::seconds(1));
    ASSERT_TRUE(sender.isDue());
    sender.send("{}");
    collector.accept();
    EXPECT_FALSE(sender.isDue());
    EXPECT_TRUE(sender.takeMessages().empty());
  }
  // The connection ends with the exchange. Nobody waited for that.
  EXPECT_TRUE(collector.isConnected());
}

}  // namespace
}  // namespace traced
