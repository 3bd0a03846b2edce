// Tests a thread's context: entering and leaving scopes, and contexts passed
// between threads.

#include "recorder/context/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace traced {
namespace {

using ::testing::ElementsAre;

std::uint64_t annotate(const std::string& name) {
  v1::Context change;
  change.add_annotation(name);
  return enterContext(change);
}

v1::Context facts(const Context& context) {
  v1::Context facts;
  facts.ParseFromString(std::string(context.bytes()));
  return facts;
}

std::vector<std::string> annotations() {
  const Context* context = currentContext();
  if (!context) return {};
  const v1::Context known = facts(*context);
  return {known.annotation().begin(), known.annotation().end()};
}

TEST(ContextTest, AnnotationsNestAndEnd) {
  EXPECT_EQ(currentContext(), nullptr);
  const std::uint64_t outer = annotate("outer");
  const std::uint64_t inner = annotate("inner");
  EXPECT_THAT(annotations(), ElementsAre("outer", "inner"));
  EXPECT_TRUE(leaveContext(inner));
  EXPECT_THAT(annotations(), ElementsAre("outer"));
  EXPECT_TRUE(leaveContext(outer));
  EXPECT_EQ(currentContext(), nullptr);
}

TEST(ContextTest, LeavingOutOfOrderRemovesNothingElse) {
  const std::uint64_t a = annotate("a");
  const std::uint64_t b = annotate("b");
  const std::uint64_t c = annotate("c");
  EXPECT_TRUE(leaveContext(a));
  EXPECT_THAT(annotations(), ElementsAre("b", "c"));
  EXPECT_FALSE(leaveContext(a)) << "left already";
  EXPECT_TRUE(leaveContext(c));
  EXPECT_TRUE(leaveContext(b));
  EXPECT_EQ(currentContext(), nullptr);
}

TEST(ContextTest, EqualContextsAreEqualByteByByte) {
  const std::uint64_t first = annotate("same");
  const std::string bytes(currentContext()->bytes());
  const std::uint64_t hash = currentContext()->hash();
  leaveContext(first);
  const std::uint64_t second = annotate("same");
  EXPECT_EQ(currentContext()->bytes(), bytes);
  EXPECT_EQ(currentContext()->hash(), hash);
  leaveContext(second);
}

TEST(ContextTest, AModuleReplacesTheOneAroundItEvenIfItIsAModelItself) {
  v1::Context layer;
  layer.set_model("Net");
  layer.set_module("layers.3");
  layer.set_phase(v1::PHASE_FORWARD);
  const std::uint64_t outer = enterContext(layer);
  v1::Context other;
  other.set_model("Critic");
  other.set_module("");
  const std::uint64_t inner = enterContext(other);
  const v1::Context seen = facts(*currentContext());
  EXPECT_EQ(seen.model(), "Critic");
  EXPECT_EQ(seen.module(), "");
  EXPECT_EQ(seen.phase(), v1::PHASE_FORWARD) << "not said otherwise";
  leaveContext(inner);
  EXPECT_EQ(facts(*currentContext()).module(), "layers.3");
  leaveContext(outer);
}

TEST(ContextTest, TruncatesTextsAndCountsAnnotationsThatDoNotFit) {
  std::vector<std::uint64_t> entered = {annotate(std::string(1000, 'x'))};
  for (int i = 0; i < Context::kMaxAnnotations + 1; ++i) {
    entered.push_back(annotate("\xff"));
  }
  const v1::Context seen = facts(*currentContext());
  EXPECT_EQ(seen.annotation_size(), Context::kMaxAnnotations);
  EXPECT_EQ(seen.annotations_cut(), 2u);
  EXPECT_EQ(seen.annotation(0), std::string(Context::kMaxTextBytes, 'x'));
  EXPECT_EQ(seen.annotation(1), "?");
  for (const std::uint64_t each : entered) EXPECT_TRUE(leaveContext(each));
}

TEST(ContextTest, AThreadHasNoContextOfAnother) {
  const std::uint64_t here = annotate("here");
  std::thread other([here] {
    EXPECT_EQ(currentContext(), nullptr);
    EXPECT_FALSE(leaveContext(here));
    annotate("there, and never left");
  });
  other.join();
  EXPECT_THAT(annotations(), ElementsAre("here"));
  leaveContext(here);
}

// Gives every thread the same context.
class SharedCarrier final : public ContextCarrier {
 public:
  void give(const ContextRef& context) override { context_ = context; }
  const ContextRef* given() const noexcept override {
    return context_ ? &context_ : nullptr;
  }

 private:
  ContextRef context_;
};

// Last in this file: a carrier stays installed.
TEST(ContextTest, AThreadThatWorksForAnotherAddsToWhatItWasGiven) {
  static SharedCarrier carrier;
  setContextCarrier(carrier);
  const std::uint64_t step = annotate("step");
  std::thread worker([] {
    EXPECT_THAT(annotations(), ElementsAre("step"));
    const std::uint64_t own = annotate("hook");
    EXPECT_THAT(annotations(), ElementsAre("step", "hook"));
    leaveContext(own);
    EXPECT_THAT(annotations(), ElementsAre("step"));
  });
  worker.join();
  leaveContext(step);
  EXPECT_EQ(currentContext(), nullptr);
}

}  // namespace
}  // namespace traced
