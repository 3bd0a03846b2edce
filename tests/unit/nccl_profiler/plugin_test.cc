// Loads the library like NCCL, with a recorder that only stores its calls.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "nccl_profiler/interface.h"
#include "nccl_profiler/recorder_link.h"

namespace traced::nccl {
namespace {

using Report = std::tuple<std::uint64_t, std::string, std::string, unsigned>;

// The part that all versions share.
using Functions = Profiler<void (*)()>;

int recorder;
thread_local Operation in_call;
std::vector<Report> reports;

const RecorderLink kLink = {
    []() noexcept { return in_call; },
    [](const Operation& operation, const char* algorithm, const char* protocol,
       unsigned channels) noexcept {
      reports.emplace_back(operation.id, algorithm, protocol, channels);
    },
    [](const char*) noexcept {}};

class PluginTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv(kNextPlugin, "none", 1);
    library = dlopen(TRACED_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
  }

  PluginTest() {
    reports.clear();
    connect(&kLink);
  }
  ~PluginTest() override {
    in_call = {};
    end();
  }
  void end() {
    if (context_) profiler_->finalize(std::exchange(context_, nullptr));
  }

  static void connect(const RecorderLink* link) {
    reinterpret_cast<Connect*>(dlsym(library, kConnect))(link);
  }

  // Begins a communicator. Returns the events that the plugin requests of NCCL.
  int begin4() {
    end();
    profiler_ = static_cast<const Functions*>(dlsym(library, kName4));
    const auto init = reinterpret_cast<Init4>(profiler_->init);
    init(&context_, &wanted_, "", 1, 1, 2, 0, nullptr);
    return wanted_;
  }
  int begin(const char* name) {
    end();
    profiler_ = static_cast<const Functions*>(dlsym(library, name));
    const auto init = reinterpret_cast<Init5>(profiler_->init);
    init(&context_, 1, &wanted_, "", 1, 2, 0, nullptr);
    return wanted_;
  }

  void* start(Event event) {
    void* handle = &event;
    EXPECT_EQ(profiler_->start(context_, &handle, &event), kSuccess);
    return handle;
  }
  void* call(std::uint64_t operation, bool captured = false) {
    in_call = {&recorder, operation};
    Event event = {};
    event.type = kCollectiveCall;
    event.collective_call.captured = captured;
    void* const handle = start(event);
    in_call = {};
    if (handle) profiler_->stop(handle);
    return handle;
  }
  void launch(void* parent, const char* algorithm) {
    Event event = {};
    event.type = kCollective;
    event.parent = parent;
    event.collective.algorithm = algorithm;
    event.collective.protocol = "LL";
    event.collective.channels = 3;
    start(event);
  }

  static inline void* library = nullptr;
  const Functions* profiler_ = nullptr;
  void* context_ = nullptr;
  int wanted_ = 0;
};

TEST_F(PluginTest, RequestsOnlyCallsAndTheirLaunches) {
  EXPECT_EQ(begin4(), int{kCollective | kMessage});
  for (const char* name : {kName5, kName6}) {
    EXPECT_EQ(begin(name),
              int{kCollective | kMessage | kCollectiveCall | kMessageCall});
  }
}

TEST_F(PluginTest, LaunchesBelongToTheirCallOnAnyThread) {
  begin(kName6);
  void* const first = call(11);
  void* const second = call(12);
  launch(second, "TREE");
  std::thread([&] { launch(first, "RING"); }).join();
  EXPECT_EQ(reports, (std::vector<Report>{{12, "TREE", "LL", 3},
                                          {11, "RING", "LL", 3}}));
}

TEST_F(PluginTest, NoLaunchIsAssignedToAnotherOperation) {
  begin(kName5);
  EXPECT_EQ(call(11, true), nullptr);
  in_call = {&recorder, 12};
  launch(nullptr, "RING");  // without a call
  EXPECT_TRUE(reports.empty());
}

TEST_F(PluginTest, AMessageHasChannelsOnly) {
  begin(kName6);
  Event event = {};
  event.type = kMessage;
  event.parent = call(11);
  event.message.channels = 2;
  start(event);
  EXPECT_EQ(reports, (std::vector<Report>{{11, "", "", 2}}));
}

TEST_F(PluginTest, UnknownNcclNameIsIgnored) {
  begin(kName6);
  launch(call(11), "Unknown");
  launch(call(12), nullptr);
  EXPECT_EQ(reports,
            (std::vector<Report>{{11, "", "LL", 3}, {12, "", "LL", 3}}));
}

TEST_F(PluginTest, Version4JoinsOnlyLaunchesOfTheThreadsCall) {
  begin4();
  Event event = {};
  // Only the lowest byte is set, and fields that this version lacks are absent.
  event.type = kCollective | 0xabcdef00;
  event.collective.algorithm = "RING";
  event.collective.protocol = "LL";
  event.collective.channels = 3;
  start(event);
  in_call = {&recorder, 11};
  start(event);
  std::thread([&] { start(event); }).join();
  EXPECT_EQ(reports, (std::vector<Report>{{11, "RING", "LL", 3}}));
}

TEST_F(PluginTest, RequestsNoEventsWithoutARecorder) {
  connect(nullptr);
  EXPECT_EQ(begin(kName6), 0);
  EXPECT_EQ(call(11), nullptr);
}

}  // namespace
}  // namespace traced::nccl
