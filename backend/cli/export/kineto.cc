// Writes Chrome's JSON in the form of PyTorch's profiler, one file per rank,
// for HolisticTraceAnalysis. See docs/use/export.md.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"
#include "cli/common/json.h"
#include "cli/export/fr/fr_names.h"
#include "cli/export/job_exporter.h"
#include "cli/export/row_text.h"
#include "phrasing/text.h"
#include "trace_io/message_size.h"
#include "trace_io/wrapping.h"

namespace traced::kineto {

class Events {
 public:
  Events(const JobView& view, std::uint32_t stream)
      : view_(view),
        stream_(stream),
        table_(view.run().streams[stream].table) {}

  // Returns the file's facts about the job and its rank, without the rank
  // number.
  Json distributedInfo() const;
  // Calls visit(Json) with each event.
  void forEach(const RankTimeline& line,
               const std::function<void(const Json&)>& visit);
  // Returns the number of operations without an end. A complete event cannot
  // show them.
  std::uint64_t withoutEnd() const { return without_end_; }

 private:
  Json kernelOf(const OperationSlice& slice) const;
  Json callOf(const OperationSlice& slice) const;
  Json argsOf(const OperationSlice& slice) const;
  Json event(const char* category, const std::string& name,
             std::int64_t begin_ns, std::int64_t end_ns,
             std::uint64_t thread) const;
  std::uint64_t threadOf(const AssembledOperation& op) const;

  const JobView& view_;
  const std::uint32_t stream_;
  const StreamTable& table_;
  std::uint64_t without_end_ = 0;
};

namespace {

using Runs = google::protobuf::RepeatedPtrField<v1::TensorRun>;

// First id of a lane. Threads of calls have system thread ids, which are lower.
constexpr std::uint64_t kFirstLane = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxLanes = 4096;

// Returns the dtype of the first tensor, or "" if it is unknown.
std::string dtypeOf(const v1::Call& call) {
  const Runs& runs = call.input().empty() ? call.output() : call.input();
  const char* name = runs.empty() ? nullptr : fr::nameOf(runs[0].dtype());
  return name ? name : "";
}

std::string listText(
    const google::protobuf::RepeatedField<std::int64_t>& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
}

std::string ranksOf(const JobGroup& group) {
  constexpr std::uint32_t kMaxRanks = 1024;
  if (group.members.size() > kMaxRanks) return group.members.text();
  std::vector<std::uint32_t> ranks;
  group.members.forEach([&](std::uint32_t rank) { ranks.push_back(rank); });
  return absl::StrCat("[", absl::StrJoin(ranks, ", "), "]");
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

}  // namespace

Json Events::distributedInfo() const {
  const auto& stream = view_.run().streams[stream_];
  Json info;
  info["world_size"] = table_.header.world_size();
  info["pg_count"] = stream.group_indices.size();
  Json config = Json::array();
  for (const std::uint32_t index : stream.group_indices) {
    const JobGroup& group = view_.run().groups.groups()[index];
    config.push_back({{"pg_name", printable(group.name)},
                      {"pg_desc", printable(group.desc)},
                      {"backend_config", printable(group.backend)},
                      {"pg_size", group.members.size()},
                      {"ranks", ranksOf(group)}});
    info["backend"] = printable(group.backend);
  }
  info["pg_config"] = std::move(config);
  return info;
}

void Events::forEach(const RankTimeline& line,
                     const std::function<void(const Json&)>& visit) {
  for (const OperationSlice& slice : line.operations) {
    visit(callOf(slice));
    if (slice.how == SpanEnd::kEnded) {
      visit(kernelOf(slice));
    } else {
      ++without_end_;
    }
  }
  for (const NamedSlice& step : line.steps) {
    visit(event("user_annotation", absl::StrCat("ProfilerStep#", *step.number),
                step.begin_ns, step.end_ns, 0));
  }
}

Json Events::event(const char* category, const std::string& name,
                   std::int64_t begin_ns, std::int64_t end_ns,
                   std::uint64_t thread) const {
  Json json;
  json["ph"] = "X";
  json["cat"] = category;
  json["name"] = name;
  json["pid"] = table_.header.rank();
  json["tid"] = thread;
  json["ts"] = microseconds(begin_ns);
  json["dur"] = microseconds(
      std::max<std::int64_t>(wrappingDifference(end_ns, begin_ns), 0));
  return json;
}

std::uint64_t Events::threadOf(const AssembledOperation& op) const {
  const v1::Thread* thread = table_.definitions.thread(op.thread);
  return thread && thread->tid() > 0 ? static_cast<std::uint64_t>(thread->tid())
                                     : 1;
}

// Returns the event of a call on the host. Readers assign operations to a step
// by this event.
Json Events::callOf(const OperationSlice& slice) const {
  const AssembledOperation& op = view_.operationOf(slice.cell);
  const std::int64_t return_ns = op.returned.known()
                                     ? view_.commonOf(stream_, op.returned)
                                     : slice.begin_ns;
  Json call = event("cpu_op", absl::StrCat("c10d::", operationName(table_, op)),
                    slice.begin_ns, return_ns, threadOf(op));
  call["args"] = {{"correlation", slice.cell.operation + 1}};
  return call;
}

// Returns the event of a transfer. Readers recognize communication by this
// event's name and stream.
Json Events::kernelOf(const OperationSlice& slice) const {
  const AssembledOperation& op = view_.operationOf(slice.cell);
  std::int64_t begin_ns = slice.begin_ns;
  if (op.started.known()) {
    begin_ns = std::clamp(view_.commonOf(stream_, op.started), slice.begin_ns,
                          slice.end_ns);
  }
  const std::uint64_t lane = kFirstLane +
                             (slice.group + std::uint64_t{1}) * kMaxLanes +
                             std::min<std::uint64_t>(slice.lane, kMaxLanes - 1);
  Json kernel = event(
      "kernel", absl::StrCat("ncclKernel_", operationName(table_, op), "()"),
      begin_ns, slice.end_ns, lane);
  kernel["args"] = argsOf(slice);
  return kernel;
}

Json Events::argsOf(const OperationSlice& slice) const {
  const AssembledOperation& op = view_.operationOf(slice.cell);
  const v1::Call* call = view_.callOf(slice.cell);
  Json args;
  args["device"] = 0;
  args["stream"] = slice.group == GroupCatalog::kNone ? 1 : slice.group + 2;
  args["correlation"] = slice.cell.operation + 1;
  args["Seq"] = op.seq;
  if (!call) return args;
  args["Collective name"] = operationName(table_, op);
  args["In msg nelems"] = elementsOf(call->input()).value_or(0);
  args["Out msg nelems"] =
      elementsOf(call->in_place() ? call->input() : call->output()).value_or(0);
  args["dtype"] = dtypeOf(*call);
  args["In split size"] = listText(call->split_in());
  args["Out split size"] = listText(call->split_out());
  args["bytes"] = std::max(call->bytes_in(), call->bytes_out());
  if (const auto peer = table_.peerOf(op, *call)) {
    const bool sends = call->op() == v1::OPERATION_SEND;
    args[sends ? "Dst Rank" : "Src Rank"] = *peer;
  }
  if (slice.group == GroupCatalog::kNone) return args;
  const JobGroup& group = view_.run().groups.groups()[slice.group];
  args["Group size"] = group.members.size();
  args["Process Group Name"] = printable(group.name);
  args["Process Group Description"] = printable(group.desc);
  args["Process Group Ranks"] = ranksOf(group);
  return args;
}

}  // namespace traced::kineto

namespace traced {

namespace kineto {
namespace {

class KinetoExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    const auto cells = cellsByStream(view);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const RankTimeline line = timelineOf(view, i, cells[i]);
      unshowable_ += line.unshowable;
      const std::uint32_t rank = view.run().streams[i].table.header.rank();
      writeRank(files.begin(absl::StrCat("rank_", rank, ".json")), rank, line,
                Events(view, i));
    }
  }

  std::string note() const override {
    return noteOf(
        {{without_end_, " without an end: only their calls are exported"},
         {unshowable_, " left out: their times are unknown"}});
  }

 private:
  // Writes one file. HolisticTraceAnalysis finds the rank only if a space
  // precedes it.
  void writeRank(std::ostream& out, std::uint32_t rank,
                 const RankTimeline& line, Events events) {
    RowBuffer buffer;
    absl::StrAppend(&buffer.text(),
                    "{\"schemaVersion\":1,\n\"distributedInfo\":{\"rank\": ",
                    rank, ",", jsonText(events.distributedInfo(), -1).substr(1),
                    ",\n\"displayTimeUnit\":\"ms\",\n\"traceEvents\":[\n");
    absl::StrAppend(&buffer.text(),
                    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":", rank,
                    ",\"args\":{\"name\":\"rank ", rank, "\"}}");
    events.forEach(line, [&](const Json& event) {
      absl::StrAppend(&buffer.text(), ",\n", jsonText(event, -1));
      buffer.endRow(out);
    });
    buffer.text() += "\n]}\n";
    buffer.write(out);
    without_end_ += events.withoutEnd();
  }

  std::uint64_t without_end_ = 0;
  std::uint64_t unshowable_ = 0;
};

}  // namespace
}  // namespace kineto

std::unique_ptr<JobExporter> makeKinetoExporter() {
  return std::make_unique<kineto::KinetoExporter>();
}

}  // namespace traced
