#include "ring_io/recovery/complete_definitions.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "ring_io/ring/record.h"
#include "trace_io/row_tables.h"

namespace traced {
namespace {

using Ids = std::unordered_set<std::uint32_t>;

template <typename Column>
void addIds(Ids& ids, const Column& column) {
  for (const std::uint32_t id : column) {
    if (id != 0) ids.insert(id);
  }
}

template <typename Definitions>
void removeDefined(Ids& ids, const Definitions& definitions) {
  for (const auto& definition : definitions) ids.erase(definition.id());
}

// Copies the wanted definitions of an earlier chunk and removes their ids from
// `wanted`.
template <typename Definitions>
void take(Ids& wanted, const Definitions& from, Definitions& to) {
  for (const auto& definition : from) {
    if (wanted.erase(definition.id()) > 0) *to.Add() = definition;
  }
}

class Completion {
 public:
  explicit Completion(v1::Payload& payload) : payload_(payload) {
    addIds(calls_, payload.issued().call());
    addIds(buffers_, payload.issued().buffers());
    addIds(threads_, payload.issued().thread());
    addIds(contexts_, payload.issued().context());
    addIds(stacks_, payload.issued().stack());
    addIds(stacks_, payload.functions().stack());
    forEachType(AllRows(), [&]<typename Row>() {
      forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
        if constexpr (Which::kCell == CellKind::kText) {
          addIds(texts_, Which::of(RowTable<Row>::of(payload)));
        }
      });
    });
    removeDefined(calls_, payload.call());
    removeDefined(buffers_, payload.buffers());
    removeDefined(threads_, payload.thread());
    removeDefined(contexts_, payload.context());
    removeDefined(stacks_, payload.stack());
    removeDefined(texts_, payload.text());
    needGroups();
    needCode();
    needFrames();
  }

  bool complete() const {
    return calls_.empty() && buffers_.empty() && threads_.empty() &&
           contexts_.empty() && stacks_.empty() && texts_.empty() &&
           code_.empty() && frames_.empty() && groups_.empty();
  }

  // Adds definitions from an earlier chunk. Call it with the newest chunk
  // first.
  // Groups and code are taken from the newest chunk that has them, because
  // their labels are the latest. An older chunk may be the first that uses
  // them.
  void addFrom(const v1::Payload& earlier) {
    take(calls_, earlier.call(), *payload_.mutable_call());
    take(buffers_, earlier.buffers(), *payload_.mutable_buffers());
    take(threads_, earlier.thread(), *payload_.mutable_thread());
    take(contexts_, earlier.context(), *payload_.mutable_context());
    take(stacks_, earlier.stack(), *payload_.mutable_stack());
    take(texts_, earlier.text(), *payload_.mutable_text());
    for (const v1::Group& group : earlier.group()) {
      seen_groups_.try_emplace(group.id(), group);
    }
    needGroups();
    takeGroups();
    for (const v1::Code& code : earlier.code()) {
      seen_code_.try_emplace(code.id(), code);
    }
    needCode();
    takeCode();
    for (const v1::Frame& frame : earlier.frame()) {
      seen_frames_.try_emplace(frame.id(), frame);
    }
    needFrames();
    takeFrames();
  }

 private:
  void needGroups() {
    groups_.clear();
    for (const v1::Call& call : payload_.call()) {
      if (call.group() != 0) groups_.insert(call.group());
    }
    const v1::MarkRows& marked = payload_.marked();
    for (int i = 0; i < marked.kind_size(); ++i) {
      if (isAboutGroup(static_cast<MarkKind>(marked.kind(i)))) {
        groups_.insert(static_cast<std::uint32_t>(marked.value(i)));
      }
    }
    addIds(groups_, payload_.functions().group());
    removeDefined(groups_, payload_.group());
  }

  void takeGroups() {
    for (const auto& [id, group] : seen_groups_) {
      if (groups_.erase(id) > 0) *payload_.add_group() = group;
    }
  }

  void needCode() {
    code_.clear();
    for (const v1::Stack& stack : payload_.stack()) {
      code_.insert(stack.cpp().begin(), stack.cpp().end());
    }
    for (const v1::Code& code : payload_.code()) code_.erase(code.id());
  }

  void takeCode() {
    for (const auto& [id, code] : seen_code_) {
      if (code_.erase(id) > 0) *payload_.add_code() = code;
    }
  }

  void needFrames() {
    frames_.clear();
    for (const v1::Stack& stack : payload_.stack()) {
      frames_.insert(stack.frame_id().begin(), stack.frame_id().end());
    }
    for (const v1::Frame& frame : payload_.frame()) frames_.erase(frame.id());
  }

  void takeFrames() {
    for (const auto& [id, frame] : seen_frames_) {
      if (frames_.erase(id) > 0) *payload_.add_frame() = frame;
    }
  }

  v1::Payload& payload_;
  // Ids that are used but not defined yet.
  Ids calls_, buffers_, threads_, contexts_, stacks_, texts_, groups_;
  std::unordered_set<std::uint64_t> code_, frames_;
  std::unordered_map<std::uint32_t, v1::Group> seen_groups_;
  std::unordered_map<std::uint64_t, v1::Code> seen_code_;
  std::unordered_map<std::uint64_t, v1::Frame> seen_frames_;
};

}  // namespace

void completeDefinitions(v1::Payload& payload, WrittenStream& stream) {
  Completion completion(payload);
  if (completion.complete()) return;
  stream.newestFirst([&](const v1::Payload& earlier) {
    completion.addFrom(earlier);
    return !completion.complete();
  });
}

}  // namespace traced
