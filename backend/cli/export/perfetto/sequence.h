// Sequence writes the packets of one writer, and Tracks describes processes,
// tracks and counters, and numbers them.

#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/timeline/slices.h"
#include "cli/export/perfetto/messages.h"

namespace traced::perfetto {

// An event under way: what of it is not told is left out.
struct Event {
  std::int64_t at_ns = 0;
  std::uint64_t type = 0;
  std::uint64_t track = 0;
  // Of Sequence::name().
  std::uint64_t name = 0;
  std::optional<std::uint64_t> correlation = std::nullopt;
  std::optional<std::uint64_t> flow = std::nullopt;
  std::optional<std::uint64_t> end_of_flow = std::nullopt;
  // Of the counters of the sequence; of a counter event the first is its own.
  std::optional<std::int64_t> counters[2] = {};
};

class Sequence {
 public:
  // `machine`: 0 for the host of the time line. `id`: not 0, and of no other.
  Sequence(std::ostream& out, std::uint32_t id, std::uint32_t machine)
      : out_(out), id_(id), machine_(machine) {}

  // Which tracks the counters of later events are of. Comes before all events.
  void begin(absl::Span<const std::uint64_t> counter_tracks);
  // The number of an event's name.
  std::uint64_t name(const std::string& text);

  // What is said of the next event.
  void annotate(const char* name, std::uint64_t value);
  void annotateSigned(const char* name, std::int64_t value);
  void annotate(const char* name, const std::string& text);
  void write(const Event& event);
  // A slice that has no more than a name and what was annotated.
  void writeSlice(std::uint64_t track, const std::string& name,
                  std::int64_t begin_ns, std::int64_t end_ns);
  // A packet with a message of another kind: a track, a clock.
  void write(std::uint32_t field, const MessageWriter& message);

 private:
  struct Texts {
    std::uint32_t field = 0;
    absl::flat_hash_map<std::string, std::uint64_t> ids;
  };
  std::uint64_t idOf(Texts& texts, std::string_view text);
  void beginAnnotation(const char* name);
  void finishPacket();

  std::ostream& out_;
  const std::uint32_t id_;
  const std::uint32_t machine_;
  Texts names_, annotation_names_, annotation_texts_;
  // New texts, and annotations of the next event.
  MessageWriter interned_, annotations_;
  MessageWriter packet_, event_, part_, framed_;
};

// Several tracks that are shown as one: a track per lane.
class LanedTrack {
 public:
  std::uint64_t lane(std::uint32_t lane) const { return uuids_[lane]; }

 private:
  friend class Tracks;
  std::vector<std::uint64_t> uuids_;
};

class Tracks {
 public:
  // Processes come in the order of their pids, as far as the page heeds that.
  void orderProcesses(Sequence& to);
  std::uint64_t addProcess(Sequence& to, std::int32_t pid,
                           const std::string& name, const std::string& label);
  // `place`: among those of the process.
  LanedTrack addTrack(Sequence& to, std::uint64_t process, std::int32_t place,
                      const std::string& name, std::uint32_t lanes,
                      const std::string& description = "");
  // A track with these slices, unless there are none.
  void writeTrack(Sequence& to, std::uint64_t process, std::int32_t place,
                  const std::string& name,
                  const std::vector<NamedSlice>& slices);
  std::uint64_t addCounter(Sequence& to, std::uint64_t process,
                           std::int32_t place, const std::string& name,
                           std::uint64_t unit);

 private:
  std::uint64_t next_ = 1;
};

}  // namespace traced::perfetto
