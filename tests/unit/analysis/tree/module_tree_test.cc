// Tests communication per module, from untrusted traces.

#include "analysis/tree/module_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/match/loaded_run.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

// Builds the tree of one rank whose operations belong to these modules.
ModuleTree treeOf(const std::vector<std::string>& modules) {
  StreamBuilder stream(0, 1);
  stream.addGroup("dp", 0, 1);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 8, 8);
  std::uint64_t id = 1;
  for (const std::string& module : modules) {
    v1::Context& context = stream.addContext();
    context.set_model("Net");
    context.set_module(module);
    context.set_phase(static_cast<v1::Phase>(id % 2 ? 99 : 1));
    stream.add(IssueRow{.op = id,
                        .issue_ns = StreamBuilder::kIssueNs,
                        .call = 1,
                        .seq = id,
                        .context = context.id()});
    ++id;
  }
  const TempDir dir;
  writeFile(dir.path() + "/rank-0.traced", stream.takeChunk(true));
  const std::string path = dir.path();
  const auto set = openTraceSet({&path, 1});
  ModuleTree tree(ModuleTree::Detail::kByOperation);
  tree.add(loadRun(*set).streams.at(0).table);
  tree.finish();
  return tree;
}

TEST(ModuleTreeTest, APathWithoutEndIsCutAndNothingIsLost) {
  std::string path = "a";
  for (int i = 0; i < 10'000; ++i) path += ".a";
  const ModuleTree tree = treeOf({path, "b"});
  EXPECT_EQ(tree.nodes().size(), 1 + 1 + ModuleTree::kMaxDepth + 1);
  EXPECT_EQ(tree.root().phases[v1::PHASE_FORWARD].calls, 1u);
  EXPECT_EQ(tree.root().phases[v1::PHASE_UNSPECIFIED].calls, 1u)
      << "a phase that does not exist";
  EXPECT_EQ(tree.placed(), 2u);
}

TEST(ModuleTreeTest, TimesOfAllCallsAreAddedUp) {
  ModuleSums one, two;
  one.host.add(3);
  one.completion.add(10);
  two.host.add(5);
  two.completion.add(20);
  two.completion.add(30);
  two.wait.add(7);
  one.add(two);
  EXPECT_EQ(one.host.count, 2u);
  EXPECT_EQ(one.host.total_ns, 8u);
  EXPECT_EQ(one.completion.count, 3u);
  EXPECT_EQ(one.completion.total_ns, 60u);
  EXPECT_EQ(one.wait.count, 1u);
  EXPECT_EQ(one.wait.total_ns, 7u);
}

TEST(ModuleTreeTest, EmptyNamesAreNames) {
  const ModuleTree tree = treeOf({"..", ""});
  EXPECT_EQ(tree.nodes().size(), 1u + 1u + 3u);
}

TEST(ModuleTreeTest, TooManyModulesAreOfThoseAroundThem) {
  std::vector<std::string> modules;
  for (std::size_t i = 0; i < ModuleTree::kMaxModules / 50; ++i) {
    std::string path = std::to_string(i);
    for (int depth = 0; depth < 60; ++depth) path += ".a";
    modules.push_back(path);
  }
  const ModuleTree tree = treeOf(modules);
  EXPECT_EQ(tree.nodes().size(), ModuleTree::kMaxModules);
  EXPECT_GT(tree.cut(), 0u);
  std::uint64_t calls = 0;
  for (const ModuleSums& sums : tree.root().phases) calls += sums.calls;
  EXPECT_EQ(calls, modules.size());
}

}  // namespace
}  // namespace traced::testing
