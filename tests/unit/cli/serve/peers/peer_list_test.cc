// Tests the addresses of the `serve` of other hosts.

#include "cli/serve/peers/peer_list.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

std::string urlsOf(const std::string& text) {
  const Result<PeerList> list = PeerList::parse(text);
  if (!list) return list.error().message;
  const auto urls = list->urls();
  if (!urls) return urls.error().message;
  std::string all;
  for (const HttpUrl& url : *urls) all += url.authority() + url.path + " ";
  return all;
}

TEST(PeerListTest, HostsWithAndWithoutAPort) {
  EXPECT_EQ(urlsOf("node7,node8:80, [::1], [fe80::1]:81,"),
            "node7:9464/digest node8:80/digest [::1]:9464/digest "
            "[fe80::1]:81/digest ");
}

TEST(PeerListTest, RereadsAFile) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/peers";
  testing::writeFile(path, "# nodes\nnode1\n\nnode2:99  # the second\n");
  const auto list = PeerList::parse("file:" + path);
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->isFixed());
  EXPECT_EQ(list->urls()->size(), 2U);
  testing::writeFile(path, "node1\n");
  EXPECT_EQ(list->urls()->size(), 1U);
  testing::writeFile(path, "node1\nnode 2\n");
  EXPECT_EQ(list->urls().error().message,
            path + ": node 2 is no peer: a host, or HOST:PORT");
}

TEST(PeerListTest, ResolvesNames) {
  EXPECT_NE(urlsOf("dns:localhost:81").find(":81/digest"), std::string::npos);
  EXPECT_NE(urlsOf("dns:no-such-host.invalid").find("no-such-host.invalid: "),
            std::string::npos);
}

TEST(PeerListTest, RefusesInvalidLists) {
  for (const char* text :
       {"", ",", "node7:0", "node7:x", "http://node7", "me@node7", "node7/x",
        "a b", "dns:", "file:/no/such/file"}) {
    EXPECT_FALSE(PeerList::parse(text)) << text;
  }
}

}  // namespace
}  // namespace traced
