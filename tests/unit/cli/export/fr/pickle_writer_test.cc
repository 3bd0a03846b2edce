// Reads our pickles for other readers back with our own reader.

#include "cli/export/fr/pickle_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "analysis/flight_recorder/document.h"

namespace traced::fr {
namespace {

TEST(PickleWriter, IsReadBack) {
  const Json value = {{"text", "a\"\n\u05d0"},
                      {"least", std::numeric_limits<std::int64_t>::min()},
                      {"half", 0.5},
                      {"none", nullptr},
                      {"yes", true},
                      {"list", {1, Json::array(), Json::object()}}};
  std::string pickle = "\x80\x02";
  appendPickled(pickle, value);
  pickle += '.';
  const auto document = readPickle(pickle);
  ASSERT_TRUE(document) << document.error().message;
  const Value root = document->root();
  EXPECT_EQ(root.pairs(), 6u);
  EXPECT_EQ(root.find("text").asText(), "a\"\n\u05d0");
  EXPECT_EQ(root.find("least").asInt(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(root.find("half").asDouble(), 0.5);
  EXPECT_FALSE(root.find("none").asInt());
  EXPECT_EQ(root.find("yes").asBool(), true);
  ASSERT_EQ(root.find("list").size(), 3u);
  EXPECT_EQ(root.find("list").at(0).asInt(), 1);
  EXPECT_TRUE(root.find("list").at(1).isList());
  EXPECT_TRUE(root.find("list").at(2).isDict());
}

}  // namespace
}  // namespace traced::fr
