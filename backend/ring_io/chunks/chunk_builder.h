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
  // A chunk is full after this many bytes of definitions. Readers always accept
  // more than twice as many (trace_io/payload_guard.h).
  static constexpr std::size_t kDefinitionRoom = std::size_t{1} << 20;

  explicit ChunkBuilder(const v1::Header& header,
                        std::size_t definition_room = kDefinitionRoom);

  // Adds a record read from the ring. add() and close() may throw
  // std::bad_alloc. The chunk is then unusable until clear().
  void add(const Ring::Record& record);

  // Returns the number of events added since the last clear().
  std::uint64_t records() const { return records_; }
  bool empty() const { return records_ == 0 && definitions_ == 0; }
  // Returns whether the chunk must be closed before another record is added.
  bool isFull() const { return definition_bytes_ >= definition_room_; }

  // Makes this chunk and the following ones repeat all definitions that
  // operations may still use, as far as each has room. Needed when earlier
  // chunks may be missing.
  void repeatDefinitions();
  // Returns whether definitions remain to be repeated in later chunks.
  bool isRepeating();
  // Cancels the remaining repetitions.
  void stopRepeating() noexcept;

  // Returns the definition of an id, or nullptr if it is unknown or already
  // dropped.
  const v1::Call* call(std::uint32_t id) const { return calls_.find(id); }
  const v1::Group* group(std::uint32_t id) const { return groups_.find(id); }
  const v1::Stack* stack(std::uint32_t id) const { return stacks_.find(id); }
  const v1::Text* text(std::uint32_t id) const { return texts_.find(id); }
  // Returns the kernel ids of the threads that issued an operation and have not
  // ended.
  std::vector<std::int64_t> threads() const;

  // Returns the code that was defined since the last call. nameCode() then
  // supplies the names.
  std::vector<v1::Code> takeNewCode() { return code_.takeNew(); }
  // Stores the name of code. This chunk or a later one then repeats the code.
  void nameCode(v1::Code named);

  // Records in this and all later chunks that the process called
  // exit(exit_code).
  void endProcess(int exit_code, std::int64_t now_ns);

  // Completes the payload and returns it; it is valid until clear().
  const v1::Payload& close(const ClockReading& now,
                           const v1::Accounts& accounts);
  // Starts the next chunk.
  void clear() noexcept;

 private:
  // Adds the definitions that a row refers to.
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
  // Adds the definition unless `message` is nullptr.
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
  // Call `act` with each table of ring definitions, and with these and code_.
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
  // Bytes of the definitions received and of those put into the payload.
  std::size_t definition_bytes_ = 0;
  const std::size_t definition_room_;
  std::int64_t closed_ns_ = 0;  // time of the latest close()
};

}  // namespace traced
