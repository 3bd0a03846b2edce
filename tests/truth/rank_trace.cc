#include "truth/rank_trace.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "trace_io/chunk_encoder.h"
#include "trace_io/chunk_format.h"
#include "trace_io/row_writer.h"
#include "truth/contents.h"
#include "truth/random.h"

namespace traced::truth {
namespace {

std::uint64_t sizeOf(v1::DType) { return 4; }

// Adds `count` tensors with so many elements.
void addTensors(google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors,
                v1::DType dtype, std::uint64_t elements, std::uint32_t count) {
  v1::TensorRun& run = *tensors.Add();
  run.set_dtype(dtype);
  run.set_count(count);
  run.add_shape(static_cast<std::int64_t>(elements));
}

// Number of tensors in and out, and their elements. In place: 0 out.
struct Shape {
  std::uint32_t in = 1, out = 0;
  std::uint64_t in_elements = 0, out_elements = 0;
};

Shape shapeOf(const Called& call, std::uint32_t size, bool is_root) {
  const std::uint64_t n = call.elements;
  std::uint64_t got = 0;
  for (const std::int64_t part : call.split_out) {
    got += static_cast<std::uint64_t>(part);
  }
  switch (call.op) {
    case v1::OPERATION_BARRIER:
      return {0, 0, 0, 0};
    case v1::OPERATION_ALL_GATHER:
      return {1, size, n, n};
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR:
      return {1, 1, n, n * size};
    case v1::OPERATION_REDUCE_SCATTER_TENSOR:
      return {1, 1, n * size, n};
    case v1::OPERATION_GATHER:
      return {1, is_root ? size : 0, n, n};
    case v1::OPERATION_SCATTER:
      return {is_root ? size : 0, 1, n, n};
    case v1::OPERATION_ALL_TO_ALL_SINGLE:
      if (call.split_in.empty()) return {1, 1, n * size, n * size};
      return {1, 1, n, got};
    case v1::OPERATION_RECV:
      return {0, 1, 0, n};
    default:
      return {1, 0, n, 0};
  }
}

class RankWriter {
 public:
  RankWriter(const Program& program, const History& history, std::uint32_t rank,
             std::int64_t cut_at, std::int64_t seconds_ago)
      : program_(program),
        history_(history),
        own_(history.ranks[rank]),
        rank_(rank),
        end_(std::min(own_.end, cut_at)),
        killed_(own_.ending == Ending::kKilled || own_.end > cut_at),
        clock_(program, program.hostOf(rank), seconds_ago),
        random_(program.seed, {21, rank}),
        contents_(program, history) {}

  RankTrace write() {
    trace_.stream_id = (program_.seed << 8) + 1000 + rank_;
    reportHeader();
    reportGroups();
    collect();
    std::stable_sort(
        events_.begin(), events_.end(),
        [](const Event& a, const Event& b) { return a.at < b.at; });
    encodeAll();
    return std::move(trace_);
  }

 private:
  // An event at a time. `add` adds its row, given its position.
  struct Event {
    std::int64_t at = 0;
    std::function<void(std::uint64_t)> add;
  };

  std::int64_t local(std::int64_t true_ns) const {
    return clock_.monotonicNs(true_ns);
  }

  void reportHeader() {
    v1::Header& header = *payload_.mutable_header();
    const std::uint32_t host = program_.hostOf(rank_);
    header.set_schema(kSchema);
    header.set_stream_id(trace_.stream_id);
    header.set_traced_version("0.1.0");
    header.set_torch_version("2.15.0");
    header.set_python_version("3.12.1");
    header.set_job("job");
    header.set_host("node-" + std::to_string(host));
    header.set_boot_id("boot-" + std::to_string(host));
    header.set_time_namespace(4026531834);
    header.set_pid(100 + rank_);
    header.set_rank(rank_);
    header.set_world_size(program_.world);
    const std::int64_t started = -random_.between(0, 2'000'000'000);
    setAnchor(*header.mutable_started(), started);
  }

  void setAnchor(v1::ClockAnchor& anchor, std::int64_t at) const {
    anchor.set_monotonic_ns(local(at));
    anchor.set_realtime_ns(clock_.realtimeNs(at));
  }

  void reportGroups() {
    std::map<Ranks, std::uint32_t> made;
    for (std::uint32_t i = 0; i < history_.groups.size(); ++i) {
      const PlainGroup& group = history_.groups[i];
      const std::uint32_t own = group.indexOf(rank_);
      if (own == group.members.size()) continue;
      v1::Group& added = *payload_.add_group();
      added.set_id(i + 1);
      added.set_name(std::to_string(
          program_.own_groups ? payload_.group_size() - 1 : int(i)));
      added.set_desc(group.desc);
      added.set_backend("gloo");
      added.set_leg("cpu");
      for (const std::uint32_t member : group.members) {
        v1::RankRange& range = *added.add_member();
        range.set_first(member);
        range.set_count(1);
        range.set_stride(1);
      }
      added.set_size(static_cast<std::uint32_t>(group.members.size()));
      added.set_group_rank(own);
      added.set_nth(made[group.members]++);
    }
  }

  std::uint32_t callOf(Called call) {
    call.line = 0;
    call.thread = 1;
    call.in_backward = false;
    for (const auto& [known, id] : calls_) {
      if (known == call) return id;
    }
    const PlainGroup& group = history_.groups[call.group];
    const auto size = static_cast<std::uint32_t>(group.members.size());
    const bool is_root = call.root_plus_1 == group.indexOf(rank_) + 1;
    v1::Call& added = *payload_.add_call();
    added.set_id(static_cast<std::uint32_t>(payload_.call_size()));
    added.set_op(call.op);
    added.set_group(call.group + 1);
    const Shape shape = shapeOf(call, size, is_root);
    const std::uint64_t width = sizeOf(call.dtype);
    if (shape.in > 0) {
      addTensors(*added.mutable_input(), call.dtype, shape.in_elements,
                 shape.in);
    }
    if (shape.out > 0) {
      addTensors(*added.mutable_output(), call.dtype, shape.out_elements,
                 shape.out);
    }
    added.set_in_place(isInPlace(call.op));
    added.set_bytes_in(shape.in * shape.in_elements * width);
    added.set_bytes_out(isInPlace(call.op)
                            ? added.bytes_in()
                            : shape.out * shape.out_elements * width);
    added.set_tensors_in(shape.in);
    added.set_tensors_out(shape.out);
    added.set_reduce_op(call.reduce_op);
    if (call.root_plus_1 > 0) {
      added.set_root_plus_1(call.root_plus_1);
      added.set_root_global_plus_1(group.members[call.root_plus_1 - 1] + 1);
    }
    if (call.peer_plus_1 > 0) {
      added.set_peer_plus_1(call.peer_plus_1);
      added.set_peer_global_plus_1(group.members[call.peer_plus_1 - 1] + 1);
      added.set_tag(call.tag);
    }
    for (const std::int64_t part : call.split_in) added.add_split_in(part);
    for (const std::int64_t part : call.split_out) added.add_split_out(part);
    added.set_async(call.async);
    added.set_device(v1::DEVICE_TYPE_CPU);
    calls_.emplace_back(call, added.id());
    return added.id();
  }

  std::uint32_t buffersOf(const Called& call, const v1::Call& recorded) {
    v1::Buffers& buffers = *payload_.add_buffers();
    buffers.set_id(static_cast<std::uint32_t>(payload_.buffers_size()));
    const std::uint32_t count =
        recorded.tensors_in() +
        (recorded.in_place() ? 0 : recorded.tensors_out());
    for (std::uint32_t i = 0; i < count; ++i) {
      v1::BufferRange& range = *buffers.add_range();
      range.set_storage((std::uint64_t{call.buffer} << 40) +
                        (std::uint64_t{i} << 32));
      range.set_span_bytes(recorded.bytes_in() + recorded.bytes_out());
    }
    return buffers.id();
  }

  void collect() {
    for (const std::uint32_t id : {1U, 2U}) {
      v1::Thread& thread = *payload_.add_thread();
      thread.set_id(id);
      thread.set_tid(1'000 * id + rank_);
      thread.set_name("python3");
    }
    for (const StepBegun& step : own_.steps) {
      addEvent(step.at, [this, step](std::uint64_t position) {
        addRow(payload_, MarkRow{position, local(step.at), v1::MARK_KIND_STEP,
                                 step.step});
      });
    }
    for (std::uint32_t i = 0; i < own_.operations.size(); ++i) collect(i);
    if (own_.ending == Ending::kRaised || own_.ending == Ending::kInterrupted) {
      addEvent(own_.end - 500 * kUs, [this](std::uint64_t position) {
        addRow(payload_,
               MarkRow{position, local(own_.end - 500 * kUs),
                       v1::MARK_KIND_EXCEPTION, 0, textOf(exception())});
      });
    }
  }

  std::uint32_t stackOf(std::uint32_t line) {
    if (line == 0) return 0;
    std::uint32_t& id = stacks_[line];
    if (id > 0) return id;
    v1::Stack& stack = *payload_.add_stack();
    id = static_cast<std::uint32_t>(payload_.stack_size());
    stack.set_id(id);
    stack.set_site(1);
    v1::Frame& frame = *stack.add_frame();
    frame.set_file("/job/train.py");
    frame.set_line(line);
    frame.set_function("main");
    return id;
  }

  // Returns the context of calls in backward.
  std::uint32_t contextOf(const Called& call) {
    if (!call.in_backward) return 0;
    if (payload_.context().empty()) {
      v1::Context& context = *payload_.add_context();
      context.set_id(1);
      context.set_phase(v1::PHASE_BACKWARD);
    }
    return 1;
  }

  static constexpr const char* kTexts[] = {
      "RuntimeError: no", "Connection closed by peer",
      "Timed out waiting 3000ms for recv operation to complete",
      "KeyboardInterrupt\n  File \"train.py\", line 22, in load",
      "ValueError: unsupported"};

  std::uint32_t exception() const {
    if (own_.ending == Ending::kInterrupted) return 4;
    return program_.fault.kind == FaultKind::kSwallowed ? 5 : 1;
  }

  std::uint32_t textOf(const Happened& failed) {
    return textOf(failed.timed_out ? 3 : 2);
  }

  std::uint32_t textOf(std::uint32_t id) {
    for (const v1::Text& text : payload_.text()) {
      if (text.id() == id) return id;
    }
    v1::Text& text = *payload_.add_text();
    text.set_id(id);
    text.set_text(kTexts[id - 1]);
    return id;
  }

  void addEvent(std::int64_t at, std::function<void(std::uint64_t)> add) {
    if (at != kNever && at <= end_) events_.push_back({at, std::move(add)});
  }

  void collect(std::uint32_t index) {
    const Happened& op = own_.operations[index];
    if (op.issued > end_) return;
    const std::uint32_t call = callOf(op.call);
    std::uint32_t& buffers = buffers_[{call, op.call.buffer}];
    if (buffers == 0) {
      buffers = buffersOf(op.call, payload_.call(static_cast<int>(call) - 1));
    }
    addEvent(op.issued,
             [this, index, call, id = buffers](std::uint64_t position) {
               const Happened& issued = own_.operations[index];
               ids_[index] = position;
               trace_.operations[position] = index;
               addRow(payload_, IssueRow{.op = position,
                                         .issue_ns = local(issued.issued),
                                         .call = call,
                                         .buffers = id,
                                         .seq = issued.seq,
                                         .thread = issued.call.thread,
                                         .context = contextOf(issued.call),
                                         .stack = stackOf(issued.call.line)});
             });
    addValues(index, op.issued, {ExaminedAt::kIssue});
    addEvent(op.returned, [this, index](std::uint64_t) {
      addRow(payload_,
             ReturnRow{.op = ids_[index],
                       .return_ns = local(own_.operations[index].returned)});
    });
    addEvent(op.stamped, [this, index](std::uint64_t) {
      const Happened& done = own_.operations[index];
      addRow(payload_, DoneRow{.op = ids_[index],
                               .end_ns = local(done.stamped),
                               .source = v1::END_SOURCE_FUTURE,
                               .outcome = done.failed ? 1U : 0U,
                               .error = done.failed ? textOf(done) : 0U});
    });
    if (!op.failed) {
      addValues(index, op.wait_ended != kNever ? op.wait_ended : op.stamped,
                {ExaminedAt::kEnd, ExaminedAt::kInputEnd});
    }
    addEvent(op.wait_ended, [this, index](std::uint64_t) {
      const Happened& waited = own_.operations[index];
      const std::int64_t begin_ns = local(waited.wait_began);
      addRow(payload_, WaitRow{.op = ids_[index],
                               .wait_begin_ns = begin_ns,
                               .wait_ns = static_cast<std::uint64_t>(
                                   local(waited.wait_ended) - begin_ns),
                               .outcome = waited.failed ? 1U : 0U,
                               .error = waited.failed ? textOf(waited) : 0U,
                               .saw_end = waited.failed ? 0U : 1U});
    });
    addEvent(op.released, [this, index](std::uint64_t) {
      addRow(payload_,
             ReleaseRow{.op = ids_[index],
                        .release_ns = local(own_.operations[index].released)});
    });
  }

  template <typename Row>
  void addRows(std::uint32_t index, std::int64_t at,
               const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      addEvent(at, [this, index, row](std::uint64_t) {
        Row added = row;
        added.op = ids_[index];
        addRow(payload_, added);
      });
    }
  }

  // What was examined after the end is recorded before the program knows of it.
  void addValues(std::uint32_t index, std::int64_t at,
                 std::initializer_list<ExaminedAt> times) {
    if (!contents_.areRecorded()) return;
    for (const ExaminedAt time : times) {
      addRows(index, at, contents_.hashes(rank_, index, time));
      if (time == ExaminedAt::kInputEnd) continue;
      addRows(index, at, contents_.statistics(rank_, index, time));
    }
  }

  bool endIsRecorded() const {
    return !killed_ || program_.variation.recovered;
  }

  // Returns how many events are in written chunks.
  std::size_t writtenEvents() {
    if (endIsRecorded()) return events_.size();
    trace_.is_whole = false;
    return random_.below(events_.size() + 1);
  }

  void encodeAll() {
    const std::size_t written = writtenEvents();
    const std::size_t per_chunk =
        static_cast<std::size_t>(random_.between(20, 400)) +
        events_.size() / 100;
    const Variation& variation = program_.variation;
    const bool loses_chunk = variation.lost_chunk &&
                             variation.lost_chunk_of % program_.world == rank_;
    std::uint64_t lost = loses_chunk ? random_.below(4) : ~std::uint64_t{0};
    for (std::size_t begin = 0, n = 0; begin < written; ++n) {
      const std::size_t end = std::min(begin + per_chunk, written);
      const bool is_last = end == events_.size() && endIsRecorded();
      std::string chunk = encode(begin, end, is_last);
      if (n == lost) {
        trace_.is_whole = false;
      } else {
        trace_.bytes += chunk;
      }
      begin = end;
    }
  }

  std::string encode(std::size_t begin, std::size_t end, bool is_last) {
    for (std::size_t i = begin; i < end; ++i) events_[i].add(i + 1);
    const std::int64_t closed_at =
        is_last ? end_ : std::min(end_, events_[end - 1].at + 10 * kUs);
    setAnchor(*payload_.mutable_anchor(), closed_at);
    v1::Accounts& accounts = *payload_.mutable_accounts();
    accounts.set_produced(end);
    accounts.set_stored(end);
    accounts.set_closed(is_last && !killed_);
    accounts.set_recovered(is_last && killed_);
    payload_.clear_process_end();
    if (is_last) markLast();
    finishRows(payload_);
    const std::string chunk = encoder_.encode(
        payload_, {trace_.stream_id, begin == 0 ? 0 : begin + 1, end + 1});
    payload_.clear_issued();
    payload_.clear_returned();
    payload_.clear_done();
    payload_.clear_waited();
    payload_.clear_released();
    payload_.clear_marked();
    payload_.clear_hashes();
    payload_.clear_statistics();
    return chunk;
  }

  void markLast() {
    v1::ProcessEnd& end = *payload_.mutable_process_end();
    if (killed_) {
      end.set_signal(9);
      end.set_seen_by(v1::PROCESS_END_OBSERVER_KEEPER);
      const CutOff cut_off = program_.fault.cut_off;
      if (end_ < own_.end || cut_off == CutOff::kKilled) return;
      end.set_seen_ns(local(end_));
      if (own_.end < history_.end) return;
      if (cut_off == CutOff::kTerminated) end.set_signal(15);
      if (cut_off == CutOff::kAborted) end.set_signal(6);
    } else {
      end.set_exit_code(own_.ending == Ending::kInOrder ? 0 : 1);
      end.set_seen_by(v1::PROCESS_END_OBSERVER_SELF);
    }
  }

  const Program& program_;
  const History& history_;
  const RankHistory& own_;
  const std::uint32_t rank_;
  const std::int64_t end_;
  const bool killed_;
  const HostClock clock_;
  Random random_;
  const Contents contents_;
  ChunkEncoder encoder_{0};
  v1::Payload payload_;
  std::vector<std::pair<Called, std::uint32_t>> calls_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> buffers_;
  std::map<std::uint32_t, std::uint64_t> ids_;
  std::map<std::uint32_t, std::uint32_t> stacks_;
  std::vector<Event> events_;
  RankTrace trace_;
};

}  // namespace

RankTrace writeRank(const Program& program, const History& history,
                    std::uint32_t rank, std::int64_t cut_at,
                    std::int64_t seconds_ago) {
  return RankWriter(program, history, rank, cut_at, seconds_ago).write();
}

}  // namespace traced::truth
