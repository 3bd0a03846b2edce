#include "ring_io/chunks/stack_parts.h"

#include <algorithm>
#include <string>

#include "xxhash.h"

namespace traced {

std::uint64_t frameId(const v1::Frame& frame) {
  const std::uint64_t function =
      XXH3_64bits(frame.function().data(), frame.function().size());
  const std::uint64_t file =
      XXH3_64bits_withSeed(frame.file().data(), frame.file().size(), function);
  const std::uint32_t line = frame.line();
  return std::max<std::uint64_t>(XXH3_64bits_withSeed(&line, sizeof line, file),
                                 1);
}

void nameFrames(v1::Stack& stack) {
  stack.clear_frame_id();
  for (v1::Frame& frame : *stack.mutable_frame()) {
    frame.set_id(frameId(frame));
    stack.add_frame_id(frame.id());
  }
}

std::size_t ChunkFrames::put(const v1::Stack& stack, v1::Payload& payload) {
  v1::Stack& copy = *payload.add_stack();
  copy.set_id(stack.id());
  *copy.mutable_frame_id() = stack.frame_id();
  copy.set_cut(stack.cut());
  copy.set_site(stack.site());
  copy.set_package(stack.package());
  *copy.mutable_cpp() = stack.cpp();
  copy.set_cpp_cut(stack.cpp_cut());
  if (stack.has_handling()) *copy.mutable_handling() = stack.handling();
  std::size_t bytes = copy.ByteSizeLong();
  for (const v1::Frame& frame : stack.frame()) {
    if (!put_.insert(frame.id()).second) continue;
    *payload.add_frame() = frame;
    bytes += frame.ByteSizeLong();
  }
  return bytes;
}

void CodeTable::define(v1::Code code) {
  const std::uint64_t id = code.id();
  if (known_.count(id) > 0 || known_.size() >= kMaxCode) return;
  new_.push_back(code);
  fresh_.push_back(id);
  known_[id].code = std::move(code);
}

bool CodeTable::name(v1::Code named) {
  const auto found = known_.find(named.id());
  if (found == known_.end()) return false;
  again_.push_back(named.id());
  found->second.code = std::move(named);
  found->second.put_in = 0;
  return true;
}

const v1::Code* CodeTable::useInThisChunk(std::uint64_t id) {
  const auto found = known_.find(id);
  if (found == known_.end() || found->second.put_in == chunk_) return nullptr;
  found->second.put_in = chunk_;
  return &found->second.code;
}

void CodeTable::repeat() {
  again_.clear();
  again_.reserve(known_.size());
  for (const auto& [id, entry] : known_) again_.push_back(id);
}

}  // namespace traced
