#include "ring_io/settings/options.h"

#include <gtest/gtest.h>

#include "ring_io/settings/labels.h"

namespace traced {
namespace {

Result<Options> parse(std::map<std::string, std::string> values) {
  return parseOptions(
      [values](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        if (found == values.end()) return std::nullopt;
        return found->second;
      });
}

TEST(OptionsTest, HasDefaults) {
  const auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->enabled);
  EXPECT_EQ(options->directory, "traces");
  EXPECT_EQ(options->job, "job");
  EXPECT_EQ(options->ring_slots, 65536u);
  EXPECT_EQ(options->max_bytes, 0u);
  EXPECT_EQ(options->window_bytes, 1u << 20);
  EXPECT_EQ(options->stacks, StackMode::kSite);
  EXPECT_FALSE(options->cpp_stacks);
  EXPECT_EQ(options->triggerPath(), "traces/job/flush");
}

TEST(OptionsTest, ReportsWhetherTracedWasSet) {
  EXPECT_FALSE(parse({})->asSettings().contains("TRACED"));
  EXPECT_EQ(parse({{"TRACED", "1"}})->asSettings().at("TRACED"), "1");
}

TEST(OptionsTest, ReadsEverySetting) {
  const auto options = parse({{"TRACED", "0"},
                              {"TRACED_DIR", "/d"},
                              {"TRACED_JOB", "run42"},
                              {"TRACED_RING_MB", "3"},
                              {"TRACED_RING_DIR", "/run"},
                              {"TRACED_MAX_BYTES", "2G"},
                              {"TRACED_WINDOW_MB", "3"},
                              {"TRACED_TRIGGER", "/etc/flush"},
                              {"TRACED_STACKS", "site"},
                              {"TRACED_CPP_STACKS", "1"},
                              {"TRACED_LABELS", "gpu=H200, site = x ,"}});
  ASSERT_TRUE(options);
  EXPECT_FALSE(options->enabled);
  EXPECT_EQ(options->directory, "/d");
  EXPECT_EQ(options->job, "run42");
  EXPECT_EQ(options->ring_slots, 32768u) << "rounded down to a power of two";
  EXPECT_EQ(options->ring_directory, "/run");
  EXPECT_EQ(options->max_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(options->window_bytes, std::uint64_t{3} << 20);
  EXPECT_EQ(options->triggerPath(), "/etc/flush");
  EXPECT_EQ(options->stacks, StackMode::kSite);
  EXPECT_TRUE(options->cpp_stacks);
  EXPECT_EQ(options->asSettings().at("TRACED_CPP_STACKS"), "1");
  EXPECT_EQ(options->asSettings().at("TRACED_STACKS"), "site");
  EXPECT_EQ(options->labels.at("gpu"), "H200");
  EXPECT_EQ(options->labels.at("site"), "x");
  EXPECT_EQ(options->asSettings().at("TRACED_LABELS"), "gpu=H200,site=x");
}

TEST(OptionsTest, WatchesForTheDefaultOrTheGivenTime) {
  EXPECT_EQ(parse({})->watch_ns, 0);
  EXPECT_EQ(parse({})->asSettings().at("TRACED_WATCH"), "0");
  const auto usual = parse({{"TRACED_WATCH", "1"}});
  EXPECT_EQ(usual->watch_ns, kUsualWatchNs);
  EXPECT_EQ(usual->asSettings().at("TRACED_WATCH"), "480s");
  const auto short_one = parse({{"TRACED_WATCH", "0.5s"}});
  EXPECT_EQ(short_one->watch_ns, 500'000'000);
  EXPECT_EQ(short_one->asSettings().at("TRACED_WATCH"), "0.5s");
  EXPECT_EQ(parse({{"TRACED_WATCH", "0s"}})->watch_ns, 0);
  for (const std::string bad : {"-1s", "x", "s", "nans", "infs", "1e300s", "5",
                                "5 s", "5ss", "2000000000s"}) {
    EXPECT_FALSE(parse({{"TRACED_WATCH", bad}})) << bad;
  }
}

TEST(OptionsTest, ReportedOptionsParseToTheSameValues) {
  const auto settings = parse({{"TRACED", "0"},
                               {"TRACED_LABELS", "gpu=H200,site=x"},
                               {"TRACED_PRINT", "leader"},
                               {"TRACED_TRIGGER", "0"},
                               {"TRACED_WATCH", "30s"},
                               {"TRACED_NVTX", "1"}})
                            ->asSettings();
  EXPECT_EQ(parse(settings)->asSettings(), settings);
}

TEST(OptionsTest, TakesTheJobNameFromTheLauncherUnlessItIsGiven) {
  EXPECT_EQ(parse({{"TORCHELASTIC_RUN_ID", "e1"}})->job, "e1");
  EXPECT_EQ(parse({{"TORCHELASTIC_RUN_ID", "none"}})->job, "job");
  EXPECT_EQ(parse({{"SLURM_JOB_ID", "77"}})->job, "77");
  EXPECT_EQ(parse({{"SLURM_JOB_ID", "77"}, {"TRACED_JOB", "mine"}})->job,
            "mine");
  EXPECT_EQ(parse({{"TORCHELASTIC_RUN_ID", "a/b"}})->job, "job");
}

TEST(OptionsTest, TriggerAndWindowAreOptional) {
  const auto options =
      parse({{"TRACED_TRIGGER", "0"}, {"TRACED_WINDOW_MB", "0"}});
  EXPECT_EQ(options->triggerPath(), "");
  EXPECT_EQ(options->asSettings().at("TRACED_TRIGGER"), "0");
  EXPECT_EQ(options->window_bytes, 0u);
}

TEST(OptionsTest, AcceptsOnAndOffWordsInAnyCase) {
  for (const std::string on : {"1", "true", "yes", "on", "True", "YES", "oN"}) {
    const auto options = parse({{"TRACED_MODULES", on},
                                {"TRACED_WATCH", on},
                                {"TRACED_STACKS", on},
                                {"TRACED_PRINT", on},
                                {"TRACED_DEVICE_TIME", on}});
    ASSERT_TRUE(options) << on;
    EXPECT_TRUE(options->modules) << on;
    EXPECT_EQ(options->watch_ns, kUsualWatchNs) << on;
    EXPECT_EQ(options->stacks, StackMode::kSite) << on;
    EXPECT_EQ(options->print.ranks, PrintMode::kFirstRank) << on;
    EXPECT_EQ(options->device_time, DeviceTimeMode::kEnd) << on;
  }
  for (const std::string off : {"0", "false", "no", "off", "False", "OFF"}) {
    const auto options = parse({{"TRACED", off},
                                {"TRACED_KEEPER", off},
                                {"TRACED_WATCH", off},
                                {"TRACED_TRIGGER", off},
                                {"TRACED_STACKS", off},
                                {"TRACED_PRINT", off}});
    ASSERT_TRUE(options) << off;
    EXPECT_FALSE(options->enabled) << off;
    EXPECT_FALSE(options->keeper) << off;
    EXPECT_EQ(options->watch_ns, 0) << off;
    EXPECT_EQ(options->triggerPath(), "") << off;
    EXPECT_EQ(options->stacks, StackMode::kOff) << off;
    EXPECT_EQ(options->print.ranks, PrintMode::kOff) << off;
  }
}

TEST(OptionsTest, SettingsOfValuesAreIndependent) {
  EXPECT_EQ(parse({})->asSettings().at("TRACED_VALUES_MB"), "256");
  for (const std::string mib : {"0", "1", "65536"}) {
    const auto options = parse({{"TRACED_VALUES", "hash"},
                                {"TRACED_VALUES_EVERY", "7"},
                                {"TRACED_VALUES_MB", mib}});
    ASSERT_TRUE(options) << mib;
    EXPECT_EQ(options->asSettings().at("TRACED_VALUES_MB"), mib);
    EXPECT_EQ(options->values.every, 7u);
    EXPECT_TRUE(options->values.hashes);
  }
}

TEST(OptionsTest, AnEmptyValueIsNotSet) {
  EXPECT_EQ(parse({{"TRACED_RING_MB", ""}})->ring_slots, 65536u);
}

class BadOptionTest
    : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BadOptionTest, NamesTheSettingTheValueAndTheValidOnes) {
  const auto [name, value] = GetParam();
  const auto options = parse({{name, value}});
  ASSERT_FALSE(options);
  const std::string& message = options.error().message;
  EXPECT_NE(message.find(std::string(name) + "=" + value), std::string::npos)
      << message;
  EXPECT_NE(message.find("expected"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadOptionTest,
    ::testing::Values(
        std::pair{"TRACED", "maybe"}, std::pair{"TRACED_JOB", "a/b"},
        std::pair{"TRACED_JOB", ".."}, std::pair{"TRACED_RING_MB", "0"},
        std::pair{"TRACED_RING_MB", "4k"}, std::pair{"TRACED_RING_MB", "-1"},
        std::pair{"TRACED_RING_MB", "99999999999999999999"},
        std::pair{"TRACED_RING_DIR", "shm"},
        std::pair{"TRACED_MAX_BYTES", "10"},
        std::pair{"TRACED_MAX_BYTES", "99999999999999T"},
        std::pair{"TRACED_WINDOW_MB", "1025"},
        std::pair{"TRACED_WINDOW_MB", "x"}, std::pair{"TRACED_STACKS", "2"},
        std::pair{"TRACED_STACKS", "Full"},
        std::pair{"TRACED_CPP_STACKS", "site"},
        std::pair{"TRACED_LABELS", "novalue"}, std::pair{"TRACED_LABELS", "=x"},
        std::pair{"TRACED_LABELS", "a=1,b=2,a=1"},
        std::pair{"TRACED_SCOPE", "CROSSNODE"}, std::pair{"TRACED_SCOPE", "1"},
        std::pair{"TRACED_VALUES", "all"},
        std::pair{"TRACED_VALUES_EVERY", "0"},
        std::pair{"TRACED_VALUES_MB", "-1"},
        std::pair{"TRACED_VALUES_MB", "1.5"},
        std::pair{"TRACED_VALUES_MB", "65537"}, std::pair{"TRACED_PRINT", "y"},
        std::pair{"TRACED_PRINT", "2"}));

TEST(OptionsTest, NamesAnInvalidLabel) {
  const auto why = [](const std::string& labels) {
    return parse({{"TRACED_LABELS", labels}}).error().message;
  };
  EXPECT_EQ(why("a=1,novalue,b=2"),
            "TRACED_LABELS=a=1,novalue,b=2 is not valid: expected key=value "
            "pairs separated by commas, each key once, but \"novalue\" has no "
            "=.");
  EXPECT_NE(why("a=1, =x").find("\"=x\" has no key"), std::string::npos);
  EXPECT_NE(why("a=1,b=2,a=3").find("\"a\" is set twice"), std::string::npos);
  std::string many;
  for (int i = 0; i <= 64; ++i) many += std::to_string(i) + "=x,";
  EXPECT_NE(why(many).find("more than 64"), std::string::npos);
  const std::string large = why("a=" + std::string(100'000, 'x'));
  EXPECT_NE(large.find("more than 2048 bytes"), std::string::npos);
  EXPECT_LT(large.size(), 500u) << "it is not repeated in full";
}

TEST(OptionsTest, ReadsThePlatformsSettings) {
  const auto options = parse({{"GPU_SERIAL", "1324"}, {"VM_ID", "vm-7"}});
  EXPECT_EQ(options->labels,
            (Labels{{"gpu_serial", "1324"}, {"vm_id", "vm-7"}}));
  const auto overridden = parse(
      {{"GPU_SERIAL", "1324"}, {"TRACED_LABELS", "gpu_serial=mine,site=fi"}});
  EXPECT_EQ(overridden->labels,
            (Labels{{"gpu_serial", "mine"}, {"site", "fi"}}));
  const auto unfit =
      parse({{"GPU_SERIAL", "a\nb"}, {"VM_ID", std::string(5000, 'x')}});
  ASSERT_TRUE(unfit) << "they are not our settings";
  EXPECT_TRUE(unfit->labels.empty());
}

TEST(OptionsTest, ReadsScopeNodeAndPrint) {
  const auto usual = parse({});
  EXPECT_EQ(usual->scope, Scope::kAll);
  EXPECT_EQ(usual->print.ranks, PrintMode::kOff);
  EXPECT_EQ(usual->node, "");
  const auto options = parse({{"TRACED_SCOPE", "crossnode"},
                              {"TRACED_NODE", "rack1"},
                              {"TRACED_PRINT", "1"}});
  EXPECT_EQ(options->scope, Scope::kCrossNode);
  EXPECT_EQ(options->print.ranks, PrintMode::kFirstRank);
  EXPECT_EQ(options->node, "rack1");
  EXPECT_EQ(options->asSettings().at("TRACED_SCOPE"), "crossnode");
  EXPECT_EQ(options->asSettings().at("TRACED_PRINT"), "1");
  EXPECT_EQ(parse({{"TRACED_SCOPE", "none"}})->scope, Scope::kNone);
  EXPECT_EQ(parse({{"TRACED_PRINT", "leader"}})->print.ranks,
            PrintMode::kLeader);
  EXPECT_EQ(parse({{"TRACED_PRINT", "all"}})->print.ranks, PrintMode::kAll);
  EXPECT_FALSE(parse({{"TRACED_PRINT", "all"}})->print.when_done);
  for (const char* value : {"done", "1,done"}) {
    EXPECT_EQ(parse({{"TRACED_PRINT", value}})->print.ranks,
              PrintMode::kFirstRank);
    EXPECT_TRUE(parse({{"TRACED_PRINT", value}})->print.when_done);
  }
  EXPECT_EQ(parse({{"TRACED_PRINT", "all,done"}})->print.ranks,
            PrintMode::kAll);
  EXPECT_FALSE(parse({{"TRACED_PRINT", "leader,issue"}})->print.when_done);
  for (const char* value : {"all,", ",done", "all,later", "done,all"}) {
    EXPECT_FALSE(parse({{"TRACED_PRINT", value}})) << value;
  }
  EXPECT_FALSE(parse({{"TRACED_NODE", std::string(200, 'x')}}));
}

TEST(OptionsTest, RefusesControlCharactersAndDoesNotRepeatThem) {
  for (const char* name : {"TRACED_DIR", "TRACED_JOB", "TRACED_LABELS"}) {
    const auto options = parse({{name, "a=b\n\x1b[2J"}});
    ASSERT_FALSE(options) << name;
    EXPECT_EQ(options.error().message.find(std::string(name) + "=a=b??[2J"), 0u)
        << options.error().message;
  }
  EXPECT_EQ(parse({{"SLURM_JOB_ID", "7\n"}})->job, "job");
}

TEST(OptionsTest, RefusesInvalidPaths) {
  for (const char* name : {"TRACED_DIR", "TRACED_RING_DIR"}) {
    EXPECT_FALSE(parse({{name, "/" + std::string(5000, 'x')}})) << name;
  }
}

}  // namespace
}  // namespace traced
