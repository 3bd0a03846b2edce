#include "analysis/stream/definition_limits.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace traced {
namespace {

void shorten(std::string& text, std::size_t bytes) {
  // Do not cut inside a UTF-8 character.
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) >> 6) == 0b10) {
    --bytes;
  }
  text.resize(bytes);
  text += "...";
}

// Only touches texts that are too long: mutable access would create the field.
template <typename Message>
void cut(Message& message, const std::string& (Message::*text)() const,
         std::string* (Message::*mutable_text)(), std::size_t most) {
  if ((message.*text)().size() > most) {
    shorten(*(message.*mutable_text)(), most);
  }
}

// Keeps the first elements. Returns how many were cut.
template <typename List>
std::uint32_t keepFirst(List& list, int most) {
  const int more = std::max(list.size() - most, 0);
  if (more > 0) list.Truncate(most);
  return static_cast<std::uint32_t>(more);
}

template <typename Message>
std::uint32_t keepFirst(google::protobuf::RepeatedPtrField<Message>& list,
                        int most) {
  const int more = std::max(list.size() - most, 0);
  if (more > 0) list.DeleteSubrange(most, more);
  return static_cast<std::uint32_t>(more);
}

std::uint32_t addUpTo32Bits(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(a + b, kMax));
}

// Cuts whole tensors only, as a shape without some dimensions would be a
// different one. Returns how many tensors were cut.
std::uint64_t keepFirstTensors(
    google::protobuf::RepeatedPtrField<v1::TensorRun>& runs) {
  int kept = 0;
  int numbers = 0;
  for (; kept < runs.size(); ++kept) {
    const int more = runs[kept].shape_size() + 1;
    if (more > kMaxCallNumbers - numbers) break;
    numbers += more;
  }
  std::uint64_t tensors = 0;
  for (int i = kept; i < runs.size(); ++i) {
    tensors += std::max<std::uint64_t>(runs[i].count(), 1);
  }
  keepFirst(runs, kept);
  return tensors;
}

void keepToLimits(v1::Group& group) {
  cut(group, &v1::Group::name, &v1::Group::mutable_name, kMaxTextBytes);
  cut(group, &v1::Group::desc, &v1::Group::mutable_desc, kMaxTextBytes);
  cut(group, &v1::Group::backend, &v1::Group::mutable_backend, kMaxTextBytes);
  cut(group, &v1::Group::backend_class, &v1::Group::mutable_backend_class,
      kMaxTextBytes);
  cut(group, &v1::Group::leg, &v1::Group::mutable_leg, kMaxTextBytes);
}

void keepToLimits(v1::Call& call) {
  const std::uint64_t tensors = keepFirstTensors(*call.mutable_input()) +
                                keepFirstTensors(*call.mutable_output());
  if (tensors > 0) {
    call.set_tensors_cut(addUpTo32Bits(call.tensors_cut(), tensors));
  }
  const std::uint32_t splits =
      keepFirst(*call.mutable_split_in(), kMaxCallNumbers) +
      keepFirst(*call.mutable_split_out(), kMaxCallNumbers);
  if (splits > 0) {
    call.set_splits_cut(addUpTo32Bits(call.splits_cut(), splits));
  }
}

void keepToLimits(v1::Context& context) {
  const std::uint32_t more =
      keepFirst(*context.mutable_annotation(), kMaxAnnotations);
  if (more > 0) {
    context.set_annotations_cut(addUpTo32Bits(context.annotations_cut(), more));
  }
  for (std::string& annotation : *context.mutable_annotation()) {
    if (annotation.size() > kMaxNameBytes) shorten(annotation, kMaxNameBytes);
  }
  cut(context, &v1::Context::module, &v1::Context::mutable_module,
      kMaxNameBytes);
  cut(context, &v1::Context::module_type, &v1::Context::mutable_module_type,
      kMaxNameBytes);
  cut(context, &v1::Context::model, &v1::Context::mutable_model, kMaxNameBytes);
  cut(context, &v1::Context::parent, &v1::Context::mutable_parent,
      kMaxNameBytes);
}

void keepToLimits(v1::Frame& frame) {
  cut(frame, &v1::Frame::function, &v1::Frame::mutable_function, kMaxTextBytes);
  cut(frame, &v1::Frame::file, &v1::Frame::mutable_file, kMaxTextBytes);
}

void keepToLimits(v1::Stack& stack) {
  // Only one of the two is used.
  const std::uint32_t more =
      std::max(keepFirst(*stack.mutable_frame_id(), kMaxFrames),
               keepFirst(*stack.mutable_frame(), kMaxFrames));
  if (more > 0) stack.set_cut(addUpTo32Bits(stack.cut(), more));
  for (v1::Frame& frame : *stack.mutable_frame()) keepToLimits(frame);
  if (keepFirst(*stack.mutable_cpp(), kMaxFrames) > 0) {
    stack.set_cpp_cut(true);
  }
  if (!stack.has_handling()) return;
  v1::HandledException& handling = *stack.mutable_handling();
  cut(handling, &v1::HandledException::type,
      &v1::HandledException::mutable_type, kMaxNameBytes);
  cut(handling, &v1::HandledException::message,
      &v1::HandledException::mutable_message, kMaxTextBytes);
  if (handling.has_raised()) keepToLimits(*handling.mutable_raised());
}

void keepToLimits(v1::Code& code) {
  cut(code, &v1::Code::binary, &v1::Code::mutable_binary, kMaxTextBytes);
  cut(code, &v1::Code::function, &v1::Code::mutable_function, kMaxTextBytes);
  cut(code, &v1::Code::file, &v1::Code::mutable_file, kMaxTextBytes);
  if (code.build_id().size() > kMaxNameBytes) code.clear_build_id();
}

}  // namespace

void keepToLimits(v1::Payload& payload) {
  for (v1::Group& group : *payload.mutable_group()) keepToLimits(group);
  for (v1::Call& call : *payload.mutable_call()) keepToLimits(call);
  for (v1::Context& each : *payload.mutable_context()) keepToLimits(each);
  for (v1::Stack& stack : *payload.mutable_stack()) keepToLimits(stack);
  for (v1::Frame& frame : *payload.mutable_frame()) keepToLimits(frame);
  for (v1::Code& code : *payload.mutable_code()) keepToLimits(code);
  for (v1::Buffers& buffers : *payload.mutable_buffers()) {
    const std::uint32_t more = keepFirst(*buffers.mutable_range(), kMaxBuffers);
    if (more > 0) buffers.set_cut(addUpTo32Bits(buffers.cut(), more));
  }
  for (v1::Thread& thread : *payload.mutable_thread()) {
    cut(thread, &v1::Thread::name, &v1::Thread::mutable_name, kMaxNameBytes);
  }
  for (v1::Text& text : *payload.mutable_text()) {
    cut(text, &v1::Text::text, &v1::Text::mutable_text, kMaxTextBytes);
  }
}

}  // namespace traced
