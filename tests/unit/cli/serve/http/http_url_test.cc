// Tests the parts of a parsed URL, and the URLs that are refused.

#include <gtest/gtest.h>

#include "cli/serve/http/http_exchange.h"

namespace traced {
namespace {

std::string partsOf(const std::string& text) {
  const Result<HttpUrl> url = parseHttpUrl(text);
  return url ? url->authority() + " " + url->path : url.error().message;
}

TEST(HttpUrlTest, ParsesHostPortAndPath) {
  EXPECT_EQ(partsOf("http://node7:4318"), "node7:4318 ");
  EXPECT_EQ(partsOf("http://node7/"), "node7:80 /");
  EXPECT_EQ(partsOf("http://[::1]:4318/a/b?c=d"), "[::1]:4318 /a/b?c=d");
  EXPECT_EQ(partsOf("http://[fe80::1]"), "[fe80::1]:80 ");
}

TEST(HttpUrlTest, RefusesInvalidUrls) {
  for (const char* text :
       {"", "node7:4318", "ftp://node7", "http://", "http://:4318",
        "http://node7:0", "http://node7:70000", "http://node7:", "http://[]",
        "http://me:secret@node7", "http://node7/ HTTP/1.1",
        "http://node7/\r\nX: y"}) {
    EXPECT_FALSE(parseHttpUrl(text)) << text;
  }
}

TEST(HttpUrlTest, ExplainsWhatToDoForTls) {
  EXPECT_NE(partsOf("https://node7").find("collector on this host"),
            std::string::npos);
}

TEST(HttpUrlTest, ASecretIsNotRepeated) {
  EXPECT_EQ(partsOf("http://me:secret@node7").find("secret"),
            std::string::npos);
}

}  // namespace
}  // namespace traced
