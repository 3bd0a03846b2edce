// The nodes of one rank: what it called, what it waited for, and the time
// between, in which it computed or did anything else.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"
#include "cli/export/perfetto/message_writer.h"
#include "cli/export/row_buffer.h"

namespace traced::chakra {

class Nodes {
 public:
  Nodes(std::ostream& out, const JobView& view, std::uint32_t stream)
      : out_(out),
        view_(view),
        stream_(stream),
        table_(view.run().streams[stream].table) {}

  void write(const std::vector<ViewedCell>& cells);
  // Operations that are none of Chakra's.
  std::uint64_t leftOut() const { return left_out_; }
  std::uint64_t withoutEnd() const { return without_end_; }

 private:
  // What the rank did, in the order in which it did.
  struct Event {
    std::int64_t at_ns = 0;
    // Until when it was held up.
    std::int64_t until_ns = 0;
    bool waits = false;
    const AssembledOperation* op = nullptr;
    std::uint32_t group = 0;
    // Of its node; 0: it has none.
    std::uint64_t node = 0;
  };

  void writeMetadata();
  std::vector<Event> eventsOf(const std::vector<ViewedCell>& cells);
  void addComputing(std::int64_t until_ns);
  void addCommunication(const Event& event, std::uint64_t id);
  void addDependencies(MessageWriter& node);
  void write(const MessageWriter& message);
  std::int64_t common(Instant at) const { return view_.commonOf(stream_, at); }

  std::ostream& out_;
  const JobView& view_;
  const std::uint32_t stream_;
  const StreamTable& table_;
  RowBuffer buffer_;
  std::uint64_t next_ = 1;
  // Until when the rank is told of, and the nodes that what comes next needs.
  std::optional<std::int64_t> cursor_ns_;
  std::vector<std::uint64_t> needed_;
  std::uint64_t left_out_ = 0;
  std::uint64_t without_end_ = 0;
};

}  // namespace traced::chakra
