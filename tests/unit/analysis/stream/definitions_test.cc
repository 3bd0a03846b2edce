#include "analysis/stream/definitions.h"

#include <gtest/gtest.h>

#include "analysis/stream/context_text.h"
#include "support/stream_builder.h"

namespace traced {
namespace {

TEST(StreamDefinitionsTest, ALaterGroupBringsNewerLabels) {
  testing::StreamBuilder stream(0);
  v1::Group& group = stream.addGroup("undefined", 0, 2);
  StreamDefinitions definitions;
  v1::Payload first = stream.payload();
  definitions.add(first);
  group.set_desc("dp");
  v1::Payload second = stream.payload();
  definitions.add(second);
  ASSERT_EQ(definitions.groups().size(), 1u);
  EXPECT_EQ(definitions.groups()[0].desc, "dp");
}

TEST(StreamDefinitionsTest, ACallCountsOnlyInTheChunkThatDefinesIt) {
  testing::StreamBuilder stream(0);
  stream.addCall(v1::OPERATION_BARRIER, 0, 0, 0);
  StreamDefinitions definitions;
  v1::Payload defining = stream.payload();
  definitions.add(defining);
  EXPECT_EQ(definitions.callInChunk(1), 0u);
  v1::Payload empty;
  definitions.add(empty);
  EXPECT_EQ(definitions.callInChunk(1), StreamDefinitions::kNone);
}

TEST(StreamDefinitionsTest, AnImpossibleGroupIsRefusedAndTheRestIsKept) {
  testing::StreamBuilder stream(0);
  stream.addGroup("absurd", 4'290'000'000u, 16'000'000);
  stream.addGroup("dp", 0, 2);
  StreamDefinitions definitions;
  v1::Payload payload = stream.payload();
  definitions.add(payload);
  EXPECT_TRUE(definitions.refusedGroups().contains(1));
  EXPECT_EQ(definitions.group(1), StreamDefinitions::kNone);
  EXPECT_EQ(definitions.group(2), 0u);
}

TEST(StreamDefinitionsTest, KeepsBuffersByTheirId) {
  v1::Payload payload;
  for (std::uint32_t id = 1; id <= 2; ++id) {
    v1::Buffers& buffers = *payload.add_buffers();
    buffers.set_id(id);
    buffers.set_cut(10 * id);
    buffers.add_range()->set_storage(100 * id);
  }
  StreamDefinitions definitions;
  definitions.add(payload);
  const auto second = definitions.buffers(2);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->cut, 20u);
  ASSERT_EQ(second->ranges.size(), 1u);
  EXPECT_EQ(second->ranges[0].storage(), 200u);
  EXPECT_FALSE(definitions.buffers(3));
}

TEST(StreamDefinitionsTest, CodeKeepsItsBestDescription) {
  const auto chunkWith = [](const char* function) {
    v1::Payload payload;
    v1::Code& code = *payload.add_code();
    code.set_id(5);
    code.set_binary("/lib/libtorch.so");
    code.set_offset(0x1a0);
    code.set_function(function);
    return payload;
  };
  StreamDefinitions definitions;
  v1::Payload nameless = chunkWith("");
  definitions.add(nameless);
  ASSERT_NE(definitions.code(5), nullptr);
  EXPECT_EQ(codeText(definitions.code(5)), "libtorch.so+0x1a0");
  v1::Payload named = chunkWith("run()");
  definitions.add(named);
  v1::Payload recovered = chunkWith("");
  definitions.add(recovered);
  EXPECT_EQ(codeText(definitions.code(5)), "libtorch.so+0x1a0 in run()");
  EXPECT_EQ(codeText(definitions.code(6)), "not known");
}

TEST(StreamDefinitionsTest, CodeIsReportedByItsLineWhereItHasOne) {
  v1::Code code;
  code.set_offset(0x7f00);
  EXPECT_EQ(codeText(&code), "0x7f00");
  code.set_binary("program");
  code.set_function("main");
  EXPECT_EQ(codeText(&code), "program+0x7f00 in main");
  code.set_file("main.cpp");
  code.set_line(12);
  EXPECT_EQ(codeText(&code), "main.cpp:12 in main");
}

TEST(StreamDefinitionsTest, FramesAreReferencedByIdOrEmbeddedInTheirStack) {
  v1::Payload payload;
  v1::Stack& named = *payload.add_stack();
  named.set_id(1);
  named.set_site(2);
  for (const std::uint64_t id : {70, 50, 60}) named.add_frame_id(id);
  v1::Stack& in_words = *payload.add_stack();
  in_words.set_id(2);
  in_words.set_site(1);
  in_words.add_frame()->set_file("old.py");
  for (const std::uint64_t id : {50, 60}) {
    v1::Frame& frame = *payload.add_frame();
    frame.set_id(id);
    frame.set_file("train.py");
    frame.set_line(static_cast<std::uint32_t>(id));
  }
  StreamDefinitions definitions;
  definitions.add(payload);
  const auto textOf = [&](std::uint32_t id) {
    std::string text;
    for (const v1::Frame* frame : definitions.frames(*definitions.stack(id))) {
      text += frameText(frame) + "|";
    }
    return text;
  };
  EXPECT_EQ(textOf(1), "not known|train.py:50|train.py:60|");
  EXPECT_EQ(definitions.siteText(*definitions.stack(1)), "train.py:50");
  EXPECT_EQ(textOf(2), "old.py|");
  EXPECT_EQ(definitions.siteText(*definitions.stack(2)), "old.py");
  v1::Stack beyond = *definitions.stack(1);
  for (const std::uint32_t site : {0u, 1u, 4u, UINT32_MAX}) {
    beyond.set_site(site);
    EXPECT_EQ(definitions.siteText(beyond), "") << site;
  }
}

}  // namespace
}  // namespace traced
