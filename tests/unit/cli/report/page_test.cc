// Tests the page of a report: the restrictions on its content, and that its
// numbers equal those of the JSON. tests/exports opens it in a browser.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/example_run.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::string contentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class PageTest : public ::testing::Test {
 protected:
  std::string page(int exit_code = 0) {
    const Ran ran = runTracectl("report --html " + file_ + " --force " +
                                dir_.path() + "/run");
    EXPECT_EQ(ran.exit_code, exit_code) << ran.err;
    return contentOf(file_);
  }
  static Json dataOf(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=data>";
    const std::size_t from = page.find(begin) + begin.size();
    return Json::parse(page.substr(from, page.find("</script>", from) - from));
  }

  TempDir dir_;
  const std::string file_ = dir_.path() + "/page.html";
};

TEST_F(PageTest, HasTheNumbersOfTheJson) {
  writeExampleRun(dir_.path() + "/run");
  const Json data = dataOf(page());
  const Json report =
      Json::parse(runTracectl("report --json " + dir_.path() + "/run").out);
  EXPECT_EQ(data["pictures"], report["pictures"]);
  ASSERT_EQ(data["groups"]["rows"].size(), 2u);
  for (const Json& group : data["groups"]["rows"]) {
    for (const Json& other : report["groups"]) {
      if (other["label"] != group["label"]) continue;
      EXPECT_EQ(group["transfer"], other["transfer"]);
      EXPECT_EQ(group["bytes"], other["bytes"]);
    }
  }
}

// A line end would appear as '?'.
TEST_F(PageTest, ItsSentencesEndWithoutALineEnd) {
  writeExampleRun(dir_.path() + "/run");
  const std::string text = page();
  const std::size_t begin = text.find("<header>");
  const std::string header = text.substr(begin, text.find("</h1>") - begin);
  EXPECT_THAT(header, HasSubstr("2 ranks on 1 host"));
  EXPECT_THAT(header, Not(HasSubstr("?")));
}

TEST_F(PageTest, MakesNoRequests) {
  writeExampleRun(dir_.path() + "/run");
  const std::string text = page();
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  for (const char* request : {"http:", "https:", "url(", "src=", "href=",
                              "fetch(", "XMLHttp", "import("}) {
    EXPECT_THAT(text, Not(HasSubstr(request)));
  }
}

TEST_F(PageTest, NamesAreText) {
  const std::string evil =
      "</script><img src=x onerror=alert(1)>\"'&<!--\xe2\x80\xa8\xe2\x80\xae";
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    StreamBuilder stream(rank);
    stream.addGroup(evil, 0, 2);
    stream.header().set_host(evil);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024);
    stream.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 1'000'000);
    writeFile(dir_.path() + "/run/" + std::to_string(rank),
              stream.takeChunk(true));
  }
  const std::string text = page();
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("<!--")));
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xa8")));
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(text, HasSubstr("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;"));
  EXPECT_THAT(dataOf(text)["groups"]["rows"][0]["label"].get<std::string>(),
              HasSubstr("</script><img"));
}

TEST_F(PageTest, ReportsARunWithoutOperations) {
  StreamBuilder stream(0, 1);
  writeFile(dir_.path() + "/run/0", stream.takeChunk(true));
  const std::string text = page();
  EXPECT_THAT(text, HasSubstr("No operations were recorded."));
  EXPECT_THAT(text, Not(HasSubstr("<section id=steps")));
}

TEST_F(PageTest, KeepsAnExistingFile) {
  writeExampleRun(dir_.path() + "/run");
  writeFile(file_, "mine");
  const Ran ran =
      runTracectl("report --html " + file_ + " " + dir_.path() + "/run");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--force replaces it"));
  EXPECT_EQ(contentOf(file_), "mine");
}

}  // namespace
}  // namespace traced::testing
