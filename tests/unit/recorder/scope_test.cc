// Tests which operations TRACED_SCOPE leaves out, and how the trace marks this,
// with a recorder in a process of its own per test.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "recorder/recorder.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced {
namespace {

constexpr std::uint64_t kJob = 1;

NodeMap::Lookup lookupOf(std::vector<std::string> nodes) {
  return [nodes](const NodeMap::Ranks& ranks)
             -> std::optional<std::vector<std::string>> {
    std::vector<std::string> found;
    for (const std::uint32_t rank : ranks) {
      if (rank >= nodes.size()) return std::nullopt;
      found.push_back(nodes[rank]);
    }
    return found;
  };
}

class ScopeTest : public ::testing::Test {
 protected:
  template <typename Body>
  void inProcess(Scope scope, Body body) {
    const pid_t child = fork();
    if (child == 0) {
      Options options;
      options.resources_ns = 0;  // the test counts records
      options.directory = dir_.path() + "/traces";
      options.ring_directory = dir_.path();
      options.scope = scope;
      options.node = "a";
      body(**Recorder::start(options, {}));
      std::exit(::testing::Test::HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(dir_.path())) {
      if (entry.path().extension() != ".traced") continue;
      payloads_ = testing::decodeTrace(testing::readFile(entry.path()));
    }
    ASSERT_FALSE(payloads_.empty());
  }

  static std::unique_ptr<RecordedGroup> addGroup(
      Recorder& recorder, std::vector<std::uint32_t> members) {
    GroupInfo info;
    info.leg = "cpu";
    info.members = std::move(members);
    return recorder.addGroup(std::move(info));
  }

  // Returns the flag in the last definition of each group.
  std::vector<bool> leftOut() const {
    std::vector<bool> groups;
    for (const v1::Payload& payload : payloads_) {
      for (const v1::Group& group : payload.group()) {
        groups.resize(std::max<std::size_t>(groups.size(), group.id()));
        groups[group.id() - 1] = group.left_out();
      }
    }
    return groups;
  }

  const testing::TempDir dir_;
  std::vector<v1::Payload> payloads_;
};

TEST_F(ScopeTest, GroupsWithinANodeAreLeftOutAndCounted) {
  inProcess(Scope::kCrossNode, [](Recorder& recorder) {
    const auto within = addGroup(recorder, {0, 1});
    const auto across = addGroup(recorder, {0, 1, 2});
    const auto nodes = lookupOf({"a", "a", "b"});
    EXPECT_FALSE(within->isLeftOut()) << "recorded while nothing is known";
    EXPECT_TRUE(recorder.decideScope(*within, kJob, nodes));
    EXPECT_TRUE(recorder.decideScope(*across, kJob, nodes));
    EXPECT_TRUE(within->isLeftOut());
    EXPECT_FALSE(across->isLeftOut());
    recorder.leaveOut();
    recorder.leaveOut();
  });
  EXPECT_EQ(leftOut(), (std::vector<bool>{true, false}));
  EXPECT_EQ(payloads_.back().accounts().left_out(), 2u);
  EXPECT_EQ(payloads_.back().header().node(), "a");
  EXPECT_EQ(payloads_.back().header().settings().at("TRACED_SCOPE"),
            "crossnode");
}

TEST_F(ScopeTest, WhileNodesAreUnknownEverythingIsRecorded) {
  inProcess(Scope::kCrossNode, [](Recorder& recorder) {
    const auto group = addGroup(recorder, {0, 1});
    EXPECT_FALSE(recorder.decideScope(*group, kJob, lookupOf({"a"})));
    EXPECT_FALSE(group->isLeftOut());
    EXPECT_TRUE(recorder.decideScope(*group, kJob, lookupOf({"a", "a"})));
    EXPECT_TRUE(group->isLeftOut());
  });
  EXPECT_EQ(leftOut(), (std::vector<bool>{true}));
}

TEST_F(ScopeTest, NoneLeavesOutEveryGroup) {
  inProcess(Scope::kNone, [](Recorder& recorder) {
    EXPECT_TRUE(addGroup(recorder, {0, 1, 2})->isLeftOut());
  });
  EXPECT_EQ(leftOut(), (std::vector<bool>{true}));
}

TEST_F(ScopeTest, AllReadsNoNodes) {
  inProcess(Scope::kAll, [](Recorder& recorder) {
    const auto group = addGroup(recorder, {0, 1});
    EXPECT_TRUE(recorder.decideScope(*group, kJob, [](const NodeMap::Ranks&) {
      ADD_FAILURE() << "nobody needs to know";
      return std::nullopt;
    }));
    EXPECT_FALSE(group->isLeftOut());
  });
  EXPECT_EQ(leftOut(), (std::vector<bool>{false}));
  EXPECT_EQ(payloads_.back().accounts().left_out(), 0u);
}

}  // namespace
}  // namespace traced
