// Tests that a reader keeps no more of a definition than a recorder writes.

#include "analysis/stream/definition_limits.h"

#include <gtest/gtest.h>

#include <string>

namespace traced {
namespace {

constexpr std::size_t kMany = 100'000;

// Returns the text as keepToLimits() leaves it.
std::string shortened(const std::string& text) {
  v1::Payload payload;
  payload.add_text()->set_text(text);
  keepToLimits(payload);
  return payload.text(0).text();
}

TEST(DefinitionLimitsTest, TruncatedTextsAreMarked) {
  EXPECT_EQ(shortened("boom"), "boom");
  EXPECT_EQ(shortened(std::string(512, 'a')), std::string(512, 'a'));
  EXPECT_EQ(shortened(std::string(513, 'a')), std::string(512, 'a') + "...");
}

TEST(DefinitionLimitsTest, NoCharacterIsCutInTwo) {
  EXPECT_EQ(shortened(std::string(511, 'a') + "\u00E9b"),
            std::string(511, 'a') + "...");
  EXPECT_EQ(shortened(std::string(509, 'a') + "\U0001F680b"),
            std::string(509, 'a') + "...");
}

TEST(DefinitionLimitsTest, TensorsAreCutWhole) {
  v1::Payload payload;
  v1::Call& call = *payload.add_call();
  call.set_tensors_cut(1);
  for (int i = 0; i < 300; ++i) {
    v1::TensorRun& run = *call.add_input();
    run.add_shape(i);
    run.set_count(i < 256 ? 1 : 3);
  }
  v1::TensorRun& endless = *call.add_output();
  for (std::size_t i = 0; i < kMany; ++i) endless.add_shape(1);
  keepToLimits(payload);
  EXPECT_EQ(call.input_size(), 256);
  EXPECT_EQ(call.output_size(), 0) << "a shape without its end is another one";
  EXPECT_EQ(call.tensors_cut(), 1u + 44u * 3u + 1u);
}

TEST(DefinitionLimitsTest, ListsAreCutAndCounted) {
  v1::Payload payload;
  v1::Call& call = *payload.add_call();
  v1::Context& context = *payload.add_context();
  context.set_annotations_cut(2);
  v1::Stack& stack = *payload.add_stack();
  v1::Buffers& buffers = *payload.add_buffers();
  for (std::size_t i = 0; i < kMany; ++i) {
    call.add_split_in(1);
    context.add_annotation("a");
    stack.add_frame()->set_function("f");
    stack.add_frame_id(i);
    stack.add_cpp(i);
    buffers.add_range();
  }
  keepToLimits(payload);
  EXPECT_EQ(call.split_in_size() + call.splits_cut(), kMany);
  EXPECT_EQ(call.split_in_size(), kMaxCallNumbers);
  EXPECT_EQ(context.annotation_size(), kMaxAnnotations);
  EXPECT_EQ(context.annotations_cut(), 2 + kMany - kMaxAnnotations);
  EXPECT_EQ(stack.frame_size(), kMaxFrames);
  EXPECT_EQ(stack.frame_id_size(), kMaxFrames);
  EXPECT_EQ(stack.cut(), kMany - kMaxFrames);
  EXPECT_EQ(stack.cpp_size(), kMaxFrames);
  EXPECT_TRUE(stack.cpp_cut());
  EXPECT_EQ(buffers.range_size(), kMaxBuffers);
  EXPECT_EQ(buffers.cut(), kMany - kMaxBuffers);
}

TEST(DefinitionLimitsTest, NamesOfAllKindsAreCut) {
  const std::string name(kMany, 'n');
  v1::Payload payload;
  v1::Group& group = *payload.add_group();
  group.set_name(name);
  group.set_desc(name);
  v1::Context& context = *payload.add_context();
  context.set_module(name);
  context.set_parent(name);
  context.add_annotation(name);
  payload.add_thread()->set_name(name);
  v1::Code& code = *payload.add_code();
  code.set_function(name);
  code.set_build_id(name);
  v1::Frame& frame = *payload.add_stack()->add_frame();
  frame.set_file(name);
  payload.add_frame()->set_function(name);
  keepToLimits(payload);
  EXPECT_LT(payload.ByteSizeLong(), 5000u);
  EXPECT_FALSE(context.has_model()) << "what was not said stays unsaid";
}

TEST(DefinitionLimitsTest, RecordersDefinitionsAreUnchanged) {
  v1::Payload payload;
  v1::Context& context = *payload.add_context();
  for (int i = 0; i < kMaxAnnotations; ++i) {
    context.add_annotation(std::string(kMaxNameBytes, 'a'));
  }
  v1::Call& call = *payload.add_call();
  for (int i = 0; i < kMaxCallNumbers; ++i) call.add_split_in(i);
  payload.add_text()->set_text(std::string(kMaxTextBytes, 't'));
  const std::string before = payload.SerializeAsString();
  keepToLimits(payload);
  EXPECT_EQ(payload.SerializeAsString(), before);
}

}  // namespace
}  // namespace traced
