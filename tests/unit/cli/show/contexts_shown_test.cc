// Tests the call sites of operations in the outputs that show them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class ContextsShownTest : public ::testing::Test {
 protected:
  // Writes an object collective of two operations, and an all-reduce of a
  // module.
  void SetUp() override {
    constexpr std::int64_t kMs = 1'000'000;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      StreamBuilder stream(rank);
      stream.addGroup("dp", 0, 2);
      stream.addCall(v1::OPERATION_BROADCAST, 1, 16, 16).set_in_place(true);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64).set_in_place(true);
      v1::Context& parent = stream.addContext();
      parent.set_parent("broadcast_object_list");
      parent.set_parent_number(4 + rank);
      if (rank == 0) parent.set_parent_bytes(412);
      v1::Context& module = stream.addContext();
      module.add_annotation("epoch, first");
      module.add_annotation("warm-up");
      module.set_model("Net");
      module.set_module("layers.3");
      module.set_module_type("Linear");
      module.set_phase(v1::PHASE_RECOMPUTE);
      v1::Stack& stack = stream.addStack();
      stack.add_cpp(11);
      stack.add_cpp(12);
      stack.add_cpp(13);
      stack.set_cpp_cut(true);
      addCode(stream, 11).set_function("c10d::all\x1breduce()");
      v1::Code& named = addCode(stream, 12);
      named.set_function("Layer::run()");
      named.set_file("/src/layer.cpp");
      named.set_line(7);
      const auto issue = [&](std::uint64_t op, std::uint32_t call,
                             std::uint32_t context, std::uint32_t in) {
        stream.add(IssueRow{.op = op,
                            .issue_ns = StreamBuilder::kIssueNs +
                                        static_cast<std::int64_t>(op) * kMs,
                            .call = call,
                            .seq = op,
                            .context = context,
                            .stack = in});
      };
      issue(1, 1, 1, 0);
      issue(2, 1, 1, 0);
      issue(3, 2, 2, stack.id());
      writeFile(dir_.path() + "/rank" + std::to_string(rank),
                stream.takeChunk(true));
    }
  }
  static v1::Code& addCode(StreamBuilder& stream, std::uint64_t id) {
    v1::Code& code = *stream.payload().add_code();
    code.set_id(id);
    code.set_binary("/lib/libtorch.so");
    code.set_build_id("\x01\xAB");
    code.set_offset(id);
    return code;
  }
  std::string out(const std::string& arguments) const {
    const Ran ran = runTracectl(arguments + " " + dir_.path());
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out;
  }
  TempDir dir_;
};

TEST_F(ContextsShownTest, AnObjectCollectiveIsAboveItsOperations) {
  EXPECT_THAT(out("show"),
              ContainsRegex("dp +broadcast_object_list +412 B put in +-\n"
                            ".* #1 +  broadcast .*\n"
                            ".* #2 +  broadcast .*\n"
                            ".* #3 +all_reduce "));
}

TEST_F(ContextsShownTest, JsonHasEveryField) {
  const auto rows = nlohmann::json::parse(out("show --json")).at("rows");
  const auto& first = rows[0].at("ranks").at("0");
  EXPECT_EQ(first.at("parent"), "broadcast_object_list");
  EXPECT_EQ(first.at("parent_number"), 4);
  EXPECT_EQ(first.at("parent_bytes"), 412);
  EXPECT_FALSE(first.contains("module"));
  EXPECT_FALSE(rows[0].at("ranks").at("1").contains("parent_bytes"));
  const auto& last = rows[2].at("ranks").at("1");
  EXPECT_EQ(last.at("annotations"),
            nlohmann::json({"epoch, first", "warm-up"}));
  EXPECT_EQ(last.at("model"), "Net");
  EXPECT_EQ(last.at("module"), "layers.3");
  EXPECT_EQ(last.at("module_type"), "Linear");
  EXPECT_EQ(last.at("phase"), "recompute");
  EXPECT_FALSE(last.contains("parent"));
}

TEST_F(ContextsShownTest, CallsInCppAreShown) {
  EXPECT_THAT(out("show --stacks"),
              HasSubstr("\n all_reduce #3 on \"dp\"\n"
                        "  ranks 0-1\n"
                        "   in C++\n"
                        "    libtorch.so+0xb in c10d::all?reduce()\n"
                        "    /src/layer.cpp:7 in Layer::run()\n"
                        "    not known\n"
                        "    and more farther out\n"));
  const auto rows = nlohmann::json::parse(out("show --json")).at("rows");
  EXPECT_FALSE(rows[0].at("ranks").at("0").contains("cpp_stack"));
  const auto& last = rows[2].at("ranks").at("0");
  EXPECT_FALSE(last.contains("stack"));
  EXPECT_EQ(last.at("cpp_stack_cut"), true);
  const auto expected = nlohmann::json::parse(R"json([
    {"function": "c10d::all\u001breduce()", "binary": "/lib/libtorch.so",
     "build_id": "01ab", "offset": 11},
    {"function": "Layer::run()", "file": "/src/layer.cpp", "line": 7,
     "binary": "/lib/libtorch.so", "build_id": "01ab", "offset": 12},
    {}])json");
  EXPECT_EQ(last.at("cpp_stack"), expected);
}

TEST_F(ContextsShownTest, ExportHasThemAsColumns) {
  EXPECT_THAT(out("export --format csv"),
              HasSubstr("\"epoch, first / warm-up\",Net.layers.3,Linear,"
                        "recompute,,,"));
}

TEST_F(ContextsShownTest, ReportAddsUpByThem) {
  const auto report = nlohmann::json::parse(
      out("report --json --sort name --by module,phase,parent"));
  const auto& rows = report.at("ops");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("parent"), "broadcast_object_list");
  EXPECT_EQ(rows[0].at("count"), 4);
  EXPECT_EQ(rows[1].at("module"), "Net.layers.3");
  EXPECT_EQ(rows[1].at("phase"), "recompute");
}

}  // namespace
}  // namespace traced::testing
