#include "analysis/definitions.h"

#include <gtest/gtest.h>

#include "analysis/context_text.h"
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

TEST(StreamDefinitionsTest, CodeIsKnownByTheBestThatIsSaidOfIt) {
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

TEST(StreamDefinitionsTest, CodeIsToldByItsLineWhereItHasOne) {
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

}  // namespace
}  // namespace traced
