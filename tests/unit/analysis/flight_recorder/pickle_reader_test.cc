#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analysis/flight_recorder/document.h"
#include "support/dump_files.h"

namespace traced {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::string_literals;
using testing::Json;
using testing::pickleOf;

std::string problemOf(const std::string& bytes) {
  const auto read = readPickle(bytes);
  return read ? "read" : read.error().message;
}

TEST(PickleReaderTest, ReadsPlainData) {
  const Json data = {{"none", nullptr},  {"yes", true},
                     {"int", -3},        {"big", 1LL << 60},
                     {"float", 2.5},     {"text", "gloo"},
                     {"list", {1, {2}}}, {"empty", Json::array()}};
  const auto read = readPickle(pickleOf(data));
  ASSERT_TRUE(read) << read.error().message;
  const Value root = read->root();
  EXPECT_EQ(root.pairs(), data.size());
  EXPECT_EQ(root.find("yes").asBool(), true);
  EXPECT_EQ(root.find("int").asInt(), -3);
  EXPECT_EQ(root.find("big").asInt(), 1LL << 60);
  EXPECT_EQ(root.find("float").asDouble(), 2.5);
  EXPECT_EQ(root.find("text").asText(), "gloo");
  EXPECT_EQ(root.find("list").at(1).at(0).asInt(), 2);
  EXPECT_TRUE(root.find("empty").isList());
  EXPECT_FALSE(root.find("none").asInt());
  EXPECT_FALSE(root.find("absent").asText());
}

// pickle.dumps({"a": (1, 2), "b": ["x", 300, -1]}, protocol) of Python 3.11.
TEST(PickleReaderTest, ReadsWhatPythonWrites) {
  const std::string protocol_2 =
      "\x80\x02}q\x00(X\x01\x00\x00\x00"
      "aq\x01K\x01K\x02\x86q\x02"
      "X\x01\x00\x00\x00"
      "bq\x03]q\x04(X\x01\x00\x00\x00xq\x05M,\x01"
      "J\xff\xff\xff\xff"
      "eu."s;
  const std::string protocol_5 =
      "\x80\x05\x95#\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
      "a\x94"
      "K\x01K\x02\x86\x94\x8c\x01"
      "b\x94]\x94(\x8c\x01x\x94M,\x01"
      "J\xff\xff\xff\xff"
      "eu."s;
  for (const std::string& bytes : {protocol_2, protocol_5}) {
    EXPECT_TRUE(beginsAsPickle(bytes));
    const auto read = readPickle(bytes);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->root().find("a").at(1).asInt(), 2);
    EXPECT_EQ(read->root().find("b").at(0).asText(), "x");
    EXPECT_EQ(read->root().find("b").at(1).asInt(), 300);
    EXPECT_EQ(read->root().find("b").at(2).asInt(), -1);
  }
}

TEST(PickleReaderTest, TheMemoGivesOneValueTwice) {
  const auto read = readPickle(
      "\x80\x02](K\x07q\x05h\x05j\x05\x00\x00\x00"
      "e."s);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->root().size(), 3u);
  EXPECT_EQ(read->root().at(2).asInt(), 7);
}

TEST(PickleReaderTest, RefusesEveryOpcodeThatCouldRunCode) {
  const std::pair<std::uint8_t, const char*> opcodes[] = {
      {'c', "GLOBAL"},    {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},
      {'b', "BUILD"},     {'i', "INST"},          {'o', "OBJ"},
      {0x81, "NEWOBJ"},   {0x92, "NEWOBJ_EX"},    {'P', "PERSID"},
      {'Q', "BINPERSID"}, {0x82, "EXT1"},         {0x83, "EXT2"},
      {0x84, "EXT4"},     {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"}};
  for (const auto& [opcode, name] : opcodes) {
    const std::string bytes =
        "\x80\x02N"s + static_cast<char>(opcode) + "os\nsystem\n.";
    EXPECT_THAT(problemOf(bytes),
                AllOf(HasSubstr("byte 3: opcode "s + name + " "),
                      HasSubstr("import or call code")));
  }
}

TEST(PickleReaderTest, ReportsTheOffsetOfDamage) {
  EXPECT_EQ(problemOf(""), "byte 0: the pickle is cut off");
  EXPECT_EQ(problemOf("\x80\x02N"), "byte 3: the pickle is cut off");
  EXPECT_EQ(problemOf("\x80\x02."s), "byte 2: the stack is empty");
  EXPECT_EQ(problemOf("\x80\x02K\x01K\x02\x61."s),
            "byte 6: members are added to a value that can have none");
  EXPECT_EQ(problemOf("\x80\x02}K\x01\x61."s),
            "byte 5: a dict has half a pair");
  EXPECT_EQ(problemOf("\x80\x02Nu."s), "byte 3: a mark is missing");
  EXPECT_EQ(problemOf("\x80\x02N(0u."s), "byte 5: a mark is missing");
  EXPECT_EQ(problemOf("\x80\x02h\x01."s), "byte 2: the memo has no such value");
  EXPECT_EQ(problemOf("\x80\x02X\xff\xff\xff\xffzz."s),
            "byte 2: the pickle is cut off");
  EXPECT_EQ(problemOf("\x80\x02I1\n."s),
            "byte 2: opcode 0x49 is none that plain data has");
}

TEST(PickleReaderTest, AnIntegerBeyond64BitsIsAbsent) {
  const auto read = readPickle(
      "\x80\x02\x8a\x09\x01\x01\x01\x01\x01\x01\x01"
      "\x01\x01."s);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->root().asInt());
}

// Lists nested as deep as the file is long, and a list that contains itself.
TEST(PickleReaderTest, DepthCostsNothing) {
  constexpr std::size_t kDepth = 1'000'000;
  EXPECT_TRUE(readPickle("\x80\x02" + std::string(kDepth, ']') +
                         std::string(kDepth - 1, 'a') + "."));
  const auto read = readPickle("\x80\x02]q\x00h\x00\x61."s);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->root().at(0).at(0).at(0).size(), 1u);
}

TEST(PickleReaderTest, EveryCutAndEveryFlipIsReadOrRefused) {
  const std::string whole = pickleOf(testing::emptyDump("2.4"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(problemOf(whole.substr(0, size)), "read");
  }
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (int j = 0; j < 3; ++j) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    EXPECT_NE(problemOf(bytes), "");
  }
}

}  // namespace
}  // namespace traced
