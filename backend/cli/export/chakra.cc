// Writes Chakra execution traces, one file per rank. See docs/use/export.md.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"
#include "cli/export/job_exporter.h"
#include "cli/export/perfetto/messages.h"
#include "cli/export/row_text.h"
#include "phrasing/text.h"
#include "trace_io/message_size.h"
#include "trace_io/wrapping.h"

namespace traced::chakra {

class Nodes {
 public:
  Nodes(std::ostream& out, const JobView& view, std::uint32_t stream)
      : out_(out),
        view_(view),
        stream_(stream),
        table_(view.run().streams[stream].table) {}

  void write(const std::vector<ViewedCell>& cells);
  // Returns the number of operations that Chakra cannot represent.
  std::uint64_t leftOut() const { return left_out_; }
  std::uint64_t withoutEnd() const { return without_end_; }

 private:
  // An activity of the rank. Events are sorted by their begin.
  struct Event {
    std::int64_t at_ns = 0;
    // End of the time that the call or wait blocked the program.
    std::int64_t until_ns = 0;
    bool waits = false;
    const AssembledOperation* op = nullptr;
    std::uint32_t group = 0;
    // Id of its node; 0 if it has none.
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
  // End of the time covered so far, and the nodes on which the next node
  // depends.
  std::optional<std::int64_t> cursor_ns_;
  std::vector<std::uint64_t> needed_;
  std::uint64_t left_out_ = 0;
  std::uint64_t without_end_ = 0;
};

namespace {

// Field numbers of et_def.proto, and values of its enums.
namespace field {
constexpr std::uint32_t kVersion = 1, kMetadataAttribute = 2;
constexpr std::uint32_t kId = 1, kName = 2, kType = 3, kDataDeps = 5,
                        kStart = 6, kDuration = 7, kAttribute = 10;
constexpr std::uint32_t kAttributeName = 1, kInt32 = 7, kInt64 = 9, kBool = 27,
                        kString = 29;
}  // namespace field
namespace type {
constexpr std::uint64_t kComputing = 4, kSend = 5, kReceive = 6,
                        kCollective = 7;
}  // namespace type

// Returns the value of CollectiveCommType. Absent for operations that it lacks.
std::optional<std::uint64_t> collectiveOf(v1::Operation op) {
  switch (trafficOf(op)) {
    case Traffic::kAllReduce:
      return 0;
    case Traffic::kGathered:
      return 2;
    case Traffic::kGatherRoot:
      return 3;
    case Traffic::kScatterRoot:
      return 4;
    case Traffic::kAllToAll:
      return 6;
    case Traffic::kScattered:
      return 7;
    default:
      break;
  }
  if (op == v1::OPERATION_REDUCE) return 1;
  if (op == v1::OPERATION_BROADCAST) return 5;
  if (op == v1::OPERATION_BARRIER) return 9;
  return std::nullopt;
}

bool isKnown(v1::Operation op) {
  return isPointToPoint(op) || collectiveOf(op);
}

// Rounds to microseconds, the unit of Chakra. Negative times become 0.
std::uint64_t microseconds(std::int64_t ns) {
  return (static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)) + 500) /
         1000;
}

// Returns an attribute of a node or of the file.
MessageWriter attribute(std::string_view name, std::uint32_t field,
                        std::int64_t value) {
  MessageWriter attribute;
  attribute.add(field::kAttributeName, name);
  attribute.addSigned(field, value);
  return attribute;
}

MessageWriter attribute(std::string_view name, std::string_view value) {
  MessageWriter attribute;
  attribute.add(field::kAttributeName, name);
  attribute.add(field::kString, value);
  return attribute;
}

// Returns the group's index as text. Readers parse the name as a number.
std::string groupName(std::uint32_t group) {
  return group == GroupCatalog::kNone ? "" : absl::StrCat(group);
}

}  // namespace

void Nodes::write(const std::vector<ViewedCell>& cells) {
  writeMetadata();
  absl::flat_hash_map<const AssembledOperation*, std::uint64_t> ids;
  for (const Event& event : eventsOf(cells)) {
    addComputing(event.at_ns);
    if (event.waits) {
      const auto id = ids.find(event.op);
      if (id != ids.end()) needed_.push_back(id->second);
    } else {
      const std::uint64_t id = next_++;
      ids[event.op] = id;
      addCommunication(event, id);
    }
    cursor_ns_ = std::max(*cursor_ns_, event.until_ns);
  }
  buffer_.write(out_);
}

std::vector<Nodes::Event> Nodes::eventsOf(
    const std::vector<ViewedCell>& cells) {
  std::vector<Event> events;
  for (const ViewedCell& cell : cells) {
    const AssembledOperation& op = table_.operations[cell.operation];
    const v1::Call* call = table_.callOf(op);
    if (!call || !isKnown(call->op()) || !op.issued.known()) {
      ++left_out_;
      continue;
    }
    const std::int64_t issue_ns = common(op.issued);
    const auto after = [&](Instant at) {
      return at.known() ? std::max(common(at), issue_ns) : issue_ns;
    };
    const std::uint32_t group = view_.matched().rows[cell.row].group;
    events.push_back({issue_ns, after(op.returned), false, &op, group});
    if (op.wait_ended.known()) {
      events.push_back(
          {after(op.wait_began), after(op.wait_ended), true, &op, group});
    } else if (waitsAtOnce(*call) && op.ended.known()) {
      events.push_back({after(op.returned), after(op.ended), true, &op, group});
    }
  }
  std::stable_sort(
      events.begin(), events.end(),
      [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
  return events;
}

void Nodes::writeMetadata() {
  MessageWriter metadata;
  metadata.add(field::kVersion, std::string_view("0.0.4"));
  metadata.add(field::kMetadataAttribute,
               attribute("rank", field::kInt64, table_.header.rank()));
  for (const std::uint32_t index : view_.run().streams[stream_].group_indices) {
    const JobGroup& group = view_.run().groups.groups()[index];
    metadata.add(field::kMetadataAttribute,
                 attribute(absl::StrCat("group ", index),
                           absl::StrCat(printable(group.label), ": ",
                                        group.members.text(1024))));
  }
  write(metadata);
}

// Adds a node for the time since the last node, in which nothing blocked the
// program.
void Nodes::addComputing(std::int64_t until_ns) {
  if (!cursor_ns_) cursor_ns_ = until_ns;
  const std::int64_t length_ns = wrappingDifference(until_ns, *cursor_ns_);
  if (length_ns <= 0) return;
  const std::uint64_t id = next_++;
  MessageWriter node;
  node.add(field::kId, id);
  node.add(field::kName, std::string_view("between calls"));
  node.add(field::kType, type::kComputing);
  addDependencies(node);
  node.add(field::kStart, microseconds(*cursor_ns_));
  node.add(field::kDuration, microseconds(length_ns));
  node.add(field::kAttribute, attribute("is_cpu_op", field::kBool, 0));
  write(node);
  needed_ = {id};
  cursor_ns_ = until_ns;
}

void Nodes::addDependencies(MessageWriter& node) {
  for (const std::uint64_t id : needed_) node.add(field::kDataDeps, id);
}

void Nodes::addCommunication(const Event& event, std::uint64_t id) {
  const AssembledOperation& op = *event.op;
  const v1::Call& call = *table_.callOf(op);
  const bool is_p2p = isPointToPoint(call.op());
  const bool sends = call.op() == v1::OPERATION_SEND;
  const auto rank = static_cast<std::int64_t>(table_.header.rank());
  MessageWriter node;
  node.add(field::kId, id);
  node.add(field::kName, operationName(table_, op));
  node.add(field::kType, !is_p2p ? type::kCollective
                         : sends ? type::kSend
                                 : type::kReceive);
  addDependencies(node);
  node.add(field::kStart, microseconds(event.at_ns));
  const auto length_ns = between(op.issued, op.ended);
  if (length_ns) {
    node.add(field::kDuration,
             microseconds(static_cast<std::int64_t>(*length_ns)));
  } else {
    ++without_end_;
  }
  const auto add = [&](const MessageWriter& message) {
    node.add(field::kAttribute, message);
  };
  add(attribute("is_cpu_op", field::kBool, 0));
  const std::uint32_t size =
      event.group == GroupCatalog::kNone
          ? 0
          : view_.run().groups.groups()[event.group].members.size();
  add(attribute("comm_size", field::kInt64,
                static_cast<std::int64_t>(messageBytes(call, size))));
  add(attribute("pg_name", groupName(event.group)));
  add(attribute("seq", field::kInt64, static_cast<std::int64_t>(op.seq)));
  if (const auto collective = collectiveOf(call.op()); collective && !is_p2p) {
    add(attribute("comm_type", field::kInt64,
                  static_cast<std::int64_t>(*collective)));
  }
  const auto peer = is_p2p ? table_.peerOf(op, call) : std::nullopt;
  if (peer) {
    add(attribute("comm_src", field::kInt32, sends ? rank : *peer));
    add(attribute("comm_dst", field::kInt32, sends ? *peer : rank));
    add(attribute("comm_tag", field::kInt32, call.tag()));
  }
  write(node);
}

// Writes a message, preceded by its length.
void Nodes::write(const MessageWriter& message) {
  std::string& out = buffer_.text();
  std::uint64_t size = message.bytes().size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>(size | 0x80);
  out += static_cast<char>(size);
  out += message.bytes();
  buffer_.endRow(out_);
}

}  // namespace traced::chakra

namespace traced {

namespace {

class ChakraExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    const auto cells = cellsByStream(view);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const std::uint32_t rank = view.run().streams[i].table.header.rank();
      chakra::Nodes nodes(files.begin(absl::StrCat("rank.", rank, ".et")), view,
                          i);
      nodes.write(cells[i]);
      left_out_ += nodes.leftOut();
      without_end_ += nodes.withoutEnd();
    }
  }

  std::string note() const override {
    return noteOf(
        {{left_out_, " left out: Chakra has none like them"},
         {without_end_, " without a duration: their ends are not known"}});
  }

 private:
  std::uint64_t left_out_ = 0;
  std::uint64_t without_end_ = 0;
};

}  // namespace

std::unique_ptr<JobExporter> makeChakraExporter() {
  return std::make_unique<ChakraExporter>();
}

}  // namespace traced
