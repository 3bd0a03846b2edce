// Tests the running module on top of the program's own context.

#include "recorder/context/placed_contexts.h"

#include <gtest/gtest.h>

#include <string>

namespace traced {
namespace {

v1::Context facts(const Context* context) {
  v1::Context facts;
  if (context) facts.ParseFromString(std::string(context->bytes()));
  return facts;
}

TEST(ModuleNamesTest, EqualNamesHaveOneNumber) {
  ModuleNames names;
  const std::uint32_t first = names.numberOf("Net", "a.b", "Linear");
  EXPECT_GT(first, 0u);
  EXPECT_EQ(names.numberOf("Net", "a.b", "Linear"), first);
  EXPECT_NE(names.numberOf("Net", "a.b", "ReLU"), first);
  v1::Context context;
  names.describe(first + 100, context);
  names.describe(0, context);
  EXPECT_FALSE(context.has_model());
  names.describe(first, context);
  EXPECT_EQ(context.module(), "a.b");
}

TEST(PlacedContextsTest, AddsTheModuleToTheContext) {
  const std::uint32_t root =
      ModuleNames::ofProcess().numberOf("Net", "", "Net");
  v1::Context annotated;
  annotated.add_annotation("warm-up");
  const Context known(nullptr, annotated);
  PlacedContexts contexts;

  const v1::Context both =
      facts(contexts.at(&known, {root, v1::PHASE_RECOMPUTE}));
  EXPECT_EQ(both.annotation(0), "warm-up");
  EXPECT_EQ(both.model(), "Net");
  EXPECT_TRUE(both.has_module()) << "empty, but known";
  EXPECT_EQ(both.phase(), v1::PHASE_RECOMPUTE);

  const v1::Context alone = facts(contexts.at(nullptr, {root, {}}));
  EXPECT_EQ(alone.annotation_size(), 0);
  EXPECT_EQ(alone.phase(), v1::PHASE_UNSPECIFIED);
  EXPECT_FALSE(
      facts(contexts.at(nullptr, {0, v1::PHASE_OPTIMIZER})).has_model());
}

TEST(PlacedContextsTest, RemembersABoundedNumber) {
  PlacedContexts contexts;
  for (int i = 0; i < 10'000; ++i) {
    const auto number =
        ModuleNames::ofProcess().numberOf("Many", std::to_string(i), "Linear");
    EXPECT_EQ(facts(contexts.at(nullptr, {number, v1::PHASE_FORWARD})).module(),
              std::to_string(i));
  }
}

}  // namespace
}  // namespace traced
