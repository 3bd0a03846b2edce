// ChunkBuilder collects records into the payload of one chunk after another.
// Owned by the writer thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ring_io/chunks/definition_table.h"
#include "ring_io/chunks/stack_parts.h"
#include "ring_io/ring/record.h"
#include "ring_io/ring/ring.h"
#include "trace_io/row.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class ChunkBuilder {
 public:
  // Bytes of definitions after which a chunk is full. What readers take for
  // granted (trace_io/payload_guard.h) is more than twice that.
  static constexpr std::size_t kDefinitionRoom = std::size_t{1} << 20;

  explicit ChunkBuilder(const v1::Header& header,
                        std::size_t definition_room = kDefinitionRoom);

  // Adds a record that was read from the ring. It, and close(), may throw for
  // want of memory: the chunk is then good for nothing but clear().
  void add(const Ring::Record& record);

  // Events added since the last clear().
  std::uint64_t records() const { return records_; }
  bool empty() const { return records_ == 0 && definitions_ == 0; }
  // Whether it is to be closed before another record is added.
  bool isFull() const { return definition_bytes_ >= definition_room_; }

  // This chunk, and those behind it until no more are left, define all that
  // operations may still name, because the chunks before are not there, or not
  // for ever.
  void repeatDefinitions();
  bool isToRepeat();
  void repeatNoMore() noexcept;

  // What an id stands for; nullptr when that is not known any more.
  const v1::Call* call(std::uint32_t id) const { return calls_.find(id); }
  const v1::Group* group(std::uint32_t id) const { return groups_.find(id); }
  const v1::Stack* stack(std::uint32_t id) const { return stacks_.find(id); }

  // Code that was defined since the last call, and what became known of it.
  std::vector<v1::Code> takeNewCode() { return code_.takeNew(); }
  void nameCode(v1::Code named);

  // This chunk and those after it say that the process gave `exit_code` to
  // exit().
  void endProcess(int exit_code, std::int64_t now_ns);

  // Completes the payload; it is valid until clear().
  const v1::Payload& close(const ClockReading& now,
                           const v1::Accounts& accounts);
  // Begins another chunk.
  void clear() noexcept;

 private:
  // Adds what a row names.
  void useDefinitions(const IssueRow& row);
  template <typename Row>
  void useDefinitions(const Row& row);
  void addDefinition(const Ring::Record& record);
  void useCall(std::uint32_t id);
  void useGroup(std::uint32_t id);
  void defineStack(const DefinitionHead& head, std::string_view bytes);
  // Adds a definition to the payload.
  void put(const v1::Group& group);
  void put(const v1::Call& call);
  void put(const v1::Buffers& buffers);
  void put(const v1::Thread& thread);
  void put(const v1::Context& context);
  void put(const v1::Stack& stack);
  void put(const v1::Code& code);
  void put(const v1::Text& text);
  // The same if there is one.
  template <typename Message>
  void use(const Message* message) {
    if (message) put(*message);
  }
  template <typename Message>
  void put(google::protobuf::RepeatedPtrField<Message>& list,
           const Message& message) {
    *list.Add() = message;
    definition_bytes_ += message.ByteSizeLong();
  }
  // Calls `act` with each table.
  template <typename Act>
  void withDefinitionTables(Act act);
  template <typename Act>
  void withTables(Act act);

  v1::Payload payload_;
  DefinitionTable<v1::Group> groups_;
  DefinitionTable<v1::Call> calls_;
  DefinitionTable<v1::Buffers> buffers_;
  DefinitionTable<v1::Thread> threads_;
  DefinitionTable<v1::Context> contexts_;
  DefinitionTable<v1::Stack> stacks_;
  ChunkFrames frames_;
  CodeTable code_;
  DefinitionTable<v1::Text> texts_;
  std::uint64_t records_ = 0;
  std::uint64_t definitions_ = 0;
  // Those that came, and those that were put.
  std::size_t definition_bytes_ = 0;
  const std::size_t definition_room_;
  std::int64_t closed_ns_ = 0;  // when the latest chunk was
};

}  // namespace traced
