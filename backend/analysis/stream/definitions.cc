#include "analysis/stream/definitions.h"

#include <optional>
#include <utility>

#include "analysis/stream/context_text.h"
#include "analysis/stream/definition_limits.h"

namespace traced {
namespace {

// Returns the index of `id` in `list`, appending it if new. An id never changes
// its meaning, so the first definition is kept.
template <typename T, typename Make>
std::uint32_t intern(std::vector<T>& list, IdIndex& index, std::uint32_t id,
                     Make&& make) {
  const std::uint32_t known = index.find(id);
  if (known != IdIndex::kNone) return known;
  const auto next = static_cast<std::uint32_t>(list.size());
  index.set(id, next);
  list.push_back(make());
  return next;
}

}  // namespace

void StreamDefinitions::add(v1::Payload& payload) {
  keepToLimits(payload);
  calls_in_chunk_.clear();
  // A small stream is one chunk.
  if (calls_.empty())
    calls_.reserve(static_cast<std::size_t>(payload.call_size()));
  for (const v1::Group& group : payload.group()) addGroup(group);
  for (v1::Call& call : *payload.mutable_call()) {
    const std::uint32_t id = call.id();
    if (id == 0) continue;
    calls_in_chunk_.set(
        id, intern(calls_, call_by_id_, id, [&] { return std::move(call); }));
  }
  for (const v1::Buffers& buffers : payload.buffers()) addBuffers(buffers);
  for (v1::Thread& thread : *payload.mutable_thread()) {
    const std::uint32_t id = thread.id();
    intern(threads_, thread_by_id_, id, [&] { return std::move(thread); });
  }
  for (v1::Context& context : *payload.mutable_context()) {
    const std::uint32_t id = context.id();
    intern(contexts_, context_by_id_, id, [&] { return std::move(context); });
  }
  for (v1::Stack& stack : *payload.mutable_stack()) {
    const std::uint32_t id = stack.id();
    intern(stacks_, stack_by_id_, id, [&] { return std::move(stack); });
  }
  for (v1::Code& code : *payload.mutable_code()) addCode(code);
  for (v1::Frame& frame : *payload.mutable_frame()) {
    frame_by_id_.try_emplace(frame.id(), std::move(frame));
  }
  for (v1::Text& text : *payload.mutable_text()) {
    intern(texts_, text_by_id_, text.id(),
           [&] { return std::move(*text.mutable_text()); });
  }
}

std::optional<GroupDefinition> groupDefinition(const v1::Group& group) {
  std::optional<RankList> members = RankList::fromGroup(group);
  if (!members) return std::nullopt;
  return GroupDefinition{
      group.id(),           group.name(),     group.desc(),
      group.backend(),      group.leg(),      *std::move(members),
      group.group_rank(),   group.nth(),
      /*by_name=*/false,    group.left_out(), group.leaves_out_messages(),
      group.backend_class()};
}

void StreamDefinitions::addGroup(const v1::Group& group) {
  const std::uint32_t known = group_by_id_.find(group.id());
  if (known != kNone) {
    groups_[known].name = group.name();
    groups_[known].desc = group.desc();
    groups_[known].left_out |= group.left_out();
    groups_[known].leaves_out_messages |= group.leaves_out_messages();
    return;
  }
  std::optional<GroupDefinition> defined = groupDefinition(group);
  if (group.id() == 0 || !defined) {
    refused_.insert(group.id());
    return;
  }
  intern(groups_, group_by_id_, group.id(),
         [&] { return *std::move(defined); });
}

void StreamDefinitions::identifyByName() {
  for (GroupDefinition& group : groups_) group.by_name = true;
}

void StreamDefinitions::addBuffers(const v1::Buffers& buffers) {
  const auto [place, is_new] = buffers_by_id_.try_emplace(
      buffers.id(),
      BufferSpan{ranges_.size(), static_cast<std::size_t>(buffers.range_size()),
                 buffers.cut()});
  if (!is_new) return;
  ranges_.insert(ranges_.end(), buffers.range().begin(), buffers.range().end());
}

// A first definition may lack the function's name.
void StreamDefinitions::addCode(v1::Code& code) {
  v1::Code& known = code_by_id_[code.id()];
  if (known.function().empty()) known = std::move(code);
}

const v1::Thread* StreamDefinitions::thread(std::uint32_t id) const {
  const std::uint32_t index = thread_by_id_.find(id);
  return index == kNone ? nullptr : &threads_[index];
}

const v1::Context* StreamDefinitions::context(std::uint32_t id) const {
  const std::uint32_t index = context_by_id_.find(id);
  return index == kNone ? nullptr : &contexts_[index];
}

const v1::Stack* StreamDefinitions::stack(std::uint32_t id) const {
  const std::uint32_t index = stack_by_id_.find(id);
  return index == kNone ? nullptr : &stacks_[index];
}

const v1::Frame* StreamDefinitions::frame(std::uint64_t id) const {
  const auto found = frame_by_id_.find(id);
  return found == frame_by_id_.end() ? nullptr : &found->second;
}

std::vector<const v1::Frame*> StreamDefinitions::frames(
    const v1::Stack& stack) const {
  std::vector<const v1::Frame*> frames;
  for (const std::uint64_t id : stack.frame_id()) frames.push_back(frame(id));
  if (!frames.empty()) return frames;
  for (const v1::Frame& frame : stack.frame()) frames.push_back(&frame);
  return frames;
}

const v1::Frame* StreamDefinitions::frame(const v1::Stack& stack,
                                          std::uint32_t number) const {
  const auto at = static_cast<std::int64_t>(number) - 1;
  if (at < 0) return nullptr;
  if (at < stack.frame_id_size()) {
    return frame(stack.frame_id(static_cast<int>(at)));
  }
  return at < stack.frame_size() ? &stack.frame(static_cast<int>(at)) : nullptr;
}

std::string StreamDefinitions::siteText(const v1::Stack& stack) const {
  const v1::Frame* const site = frame(stack, stack.site());
  return site ? traced::siteText(*site, frame(stack, stack.package())) : "";
}

const v1::Code* StreamDefinitions::code(std::uint64_t id) const {
  const auto found = code_by_id_.find(id);
  return found == code_by_id_.end() ? nullptr : &found->second;
}

const std::string* StreamDefinitions::text(std::uint32_t id) const {
  const std::uint32_t index = text_by_id_.find(id);
  return index == kNone ? nullptr : &texts_[index];
}

std::optional<StreamDefinitions::BufferList> StreamDefinitions::buffers(
    std::uint32_t id) const {
  const auto found = buffers_by_id_.find(id);
  if (found == buffers_by_id_.end()) return std::nullopt;
  const BufferSpan& span = found->second;
  return BufferList{absl::MakeSpan(ranges_).subspan(span.begin, span.count),
                    span.cut};
}

}  // namespace traced
