// ChunkBuilder collects records into the payload of one chunk after another.
// Owned by the writer thread.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "recorder/code_table.h"
#include "recorder/definition_table.h"
#include "recorder/record.h"
#include "recorder/ring.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class ChunkBuilder {
 public:
  explicit ChunkBuilder(const v1::Header& header);

  // Adds a record that was read from the ring. It, and close(), may throw for
  // want of memory: the chunk is then good for nothing but clear().
  void add(const Ring::Record& record);

  // Events added since the last clear().
  std::uint64_t records() const { return records_; }
  bool empty() const { return records_ == 0 && definitions_ == 0; }

  // The chunk that is being filled defines all that operations may still name,
  // because the chunks before it are not there, or not for ever.
  void repeatDefinitions();

  // What an id stands for; nullptr when that is not known any more.
  const v1::Call* call(std::uint32_t id) const { return calls_.find(id); }
  const v1::Group* group(std::uint32_t id) const { return groups_.find(id); }
  const v1::Stack* stack(std::uint32_t id) const { return stacks_.find(id); }

  // Code that was defined since the last call, and what became known of it.
  std::vector<v1::Code> takeNewCode() { return code_.takeNew(); }
  void nameCode(v1::Code named);

  // Completes the payload; it is valid until clear().
  const v1::Payload& close(const ClockReading& now,
                           const v1::Accounts& accounts);
  // Begins another chunk.
  void clear() noexcept;

 private:
  void addIssue(std::uint64_t position, const IssueRecord& issue);
  void addReturn(const ReturnRecord& record);
  void addDone(const DoneRecord& record);
  void addWait(const WaitRecord& record);
  void addRelease(const ReleaseRecord& record);
  void addMark(std::uint64_t position, const MarkRecord& mark);
  void addDefinition(const Ring::Record& record);
  void useCall(std::uint32_t id);
  void useGroup(std::uint32_t id);
  void useText(std::uint32_t id);
  void useStack(std::uint32_t id);
  void defineStack(const DefinitionHead& head, std::string_view bytes);

  v1::Payload payload_;
  DefinitionTable<v1::Group> groups_;
  DefinitionTable<v1::Call> calls_;
  DefinitionTable<v1::Buffers> buffers_;
  DefinitionTable<v1::Thread> threads_;
  DefinitionTable<v1::Context> contexts_;
  DefinitionTable<v1::Stack> stacks_;
  CodeTable code_;
  DefinitionTable<v1::Text> texts_;
  std::uint64_t records_ = 0;
  std::uint64_t definitions_ = 0;
};

}  // namespace traced
