// Sequence writes the packets of one writer. Tracks describes and numbers
// processes, tracks and counters.

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

// A track event. Fields that are not set are left out of the packet.
struct Event {
  std::int64_t at_ns = 0;
  std::uint64_t type = 0;
  std::uint64_t track = 0;
  // A number from Sequence::name(); 0 means no name.
  std::uint64_t name = 0;
  std::optional<std::uint64_t> correlation = std::nullopt;
  std::optional<std::uint64_t> flow = std::nullopt;
  std::optional<std::uint64_t> end_of_flow = std::nullopt;
  // Values of the sequence's counters. In a counter event, the first value is
  // the event's own.
  std::optional<std::int64_t> counters[2] = {};
};

// Not thread safe.
class Sequence {
 public:
  // `machine` is 0 for the host of the time line. `id` must be unique and not
  // 0.
  Sequence(std::ostream& out, std::uint32_t id, std::uint32_t machine)
      : out_(out), id_(id), machine_(machine) {}

  // Sets the tracks of the counters in later events. Must precede all events.
  void begin(absl::Span<const std::uint64_t> counter_tracks);
  // Interns an event name and returns its number.
  std::uint64_t name(const std::string& text);

  // Adds an annotation to the next event.
  void annotate(const char* name, std::uint64_t value);
  void annotateSigned(const char* name, std::int64_t value);
  void annotate(const char* name, const std::string& text);
  void write(const Event& event);
  // Writes a slice with only a name and the annotations added so far.
  void writeSlice(std::uint64_t track, const std::string& name,
                  std::int64_t begin_ns, std::int64_t end_ns);
  // Writes a packet with a message of another kind, such as a track or a clock.
  void write(std::uint32_t field, const MessageWriter& message);

 private:
  struct Texts {
    std::uint32_t field = 0;
    absl::flat_hash_map<std::string, std::uint64_t> ids;
  };
  // Returns the id of an interned text, defining it if it is new.
  std::uint64_t idOf(Texts& texts, std::string_view text);
  // Replaces `part_` by an annotation without a value. The caller adds the
  // value and appends `part_` to `annotations_`.
  void beginAnnotation(const char* name);
  // Writes the current packet.
  void finishPacket();

  std::ostream& out_;
  const std::uint32_t id_;
  const std::uint32_t machine_;
  Texts names_, annotation_names_, annotation_texts_;
  // New interned texts, and annotations of the next event.
  MessageWriter interned_, annotations_;
  MessageWriter packet_, event_, part_, framed_;
};

// Several tracks that the page shows as one, with a track per lane.
class LanedTrack {
 public:
  std::uint64_t lane(std::uint32_t lane) const { return uuids_[lane]; }

 private:
  friend class Tracks;
  std::vector<std::uint64_t> uuids_;
};

class Tracks {
 public:
  // Orders processes by their ids, as far as the page supports that.
  void orderProcesses(Sequence& to);
  // Describes a process and returns the id of its track.
  std::uint64_t addProcess(Sequence& to, std::int32_t pid,
                           const std::string& name, const std::string& label);
  // Adds a track to a process. `order` is its position among the tracks of the
  // process.
  LanedTrack addTrack(Sequence& to, std::uint64_t process, std::int32_t order,
                      const std::string& name, std::uint32_t lanes,
                      const std::string& description = "");
  // Adds a track with `slices`. Does nothing if `slices` is empty.
  void writeTrack(Sequence& to, std::uint64_t process, std::int32_t order,
                  const std::string& name,
                  const std::vector<NamedSlice>& slices);
  // Adds a counter and returns the id of its track. `unit` is one of counter's
  // units.
  std::uint64_t addCounter(Sequence& to, std::uint64_t process,
                           std::int32_t order, const std::string& name,
                           std::uint64_t unit);

 private:
  std::uint64_t next_ = 1;
};

}  // namespace traced::perfetto
