#include "ring_io/chunks/encode_definitions.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "base/examined.h"
#include "base/utf8.h"
#include "ring_io/ring/call_description.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

template <typename From, typename To>
void copyMap(const From& from, To* to) {
  for (const auto& [key, value] : from) {
    (*to)[toValidUtf8(key)] = toValidUtf8(value);
  }
}

void describe(const RendezvousInfo& info, v1::Rendezvous* rendezvous) {
  rendezvous->set_address(toValidUtf8(info.address));
  rendezvous->set_port(info.port);
  rendezvous->set_run_id(toValidUtf8(info.run_id));
  rendezvous->set_launcher(toValidUtf8(info.launcher));
  rendezvous->set_start(toValidUtf8(info.start));
  rendezvous->set_start_attempt(info.start_attempt);
}

}  // namespace

v1::Header makeHeader(const Options& options, const ProcessIdentity& process,
                      const HostInfo& host, std::uint64_t stream_id) {
  v1::Header header;
  header.set_schema(kSchema);
  header.set_stream_id(stream_id);
  header.set_traced_version(process.traced_version);
  header.set_torch_version(process.torch_version);
  header.set_python_version(process.python_version);
  copyMap(process.library_versions, header.mutable_library_versions());
  header.set_job(toValidUtf8(options.job));
  header.set_attempt(process.attempt);
  header.set_rank(process.rank);
  header.set_world_size(process.world_size);
  header.set_host(toValidUtf8(host.host));
  header.set_boot_id(host.boot_id);
  header.set_time_namespace(host.time_namespace);
  header.set_pid_namespace(host.pid_namespace);
  header.set_pid(host.pid);
  header.set_node(toValidUtf8(options.node));
  describe(process.rendezvous, header.mutable_rendezvous());
  copyMap(options.labels, header.mutable_labels());
  copyMap(options.asSettings(), header.mutable_settings());
  const ClockReading now = readClocks();
  header.mutable_started()->set_monotonic_ns(now.monotonic_ns);
  header.mutable_started()->set_realtime_ns(now.realtime_ns);
  header.mutable_started()->set_boottime_ns(now.boottime_ns);
  return header;
}

namespace {

// The enums of base/operation.h must have the numbers of the schema.
static_assert(int(Operation::kResume) == v1::OPERATION_RESUME);
static_assert(kOperationCount == v1::Operation_ARRAYSIZE);
static_assert(int(Operation::kAllToAllSingle) ==
              v1::OPERATION_ALL_TO_ALL_SINGLE);
static_assert(int(ReduceOp::kOther) == v1::REDUCE_OP_OTHER);
static_assert(int(DeviceType::kOther) == v1::DEVICE_TYPE_OTHER);
static_assert(int(DType::kFloat32) == v1::DTYPE_FLOAT32);
static_assert(int(DType::kOther) == v1::DTYPE_OTHER);
static_assert(int(ExaminedAt::kEnd) == v1::EXAMINED_AT_END);
static_assert(int(SkipReason::kNotCopied) == v1::SKIP_REASON_NOT_COPIED);

template <typename T>
T take(std::string_view& bytes) {
  T value{};
  const std::size_t size = std::min(sizeof value, bytes.size());
  std::memcpy(&value, bytes.data(), size);
  bytes.remove_prefix(size);
  return value;
}

// Reads `words` words of tensor runs, or fewer if the bytes end. The counts in
// a dead process's ring may be invalid.
template <typename Add>
void takeRuns(std::string_view& bytes, std::uint32_t words, Add add) {
  while (words > 0 && !bytes.empty()) {
    const auto head = static_cast<std::uint64_t>(take<std::int64_t>(bytes));
    const std::uint32_t dims = head >> CallDescription::kDimsShift & 0xFF;
    v1::TensorRun* run = add();
    run->set_dtype(static_cast<v1::DType>(head & 0xFF));
    const std::uint64_t count = head >> CallDescription::kCountShift;
    if (count > 1) run->set_count(static_cast<std::uint32_t>(count));
    for (std::uint32_t i = 0; i < dims && !bytes.empty(); ++i) {
      run->add_shape(take<std::int64_t>(bytes));
    }
    if (words < 1 + dims) return;
    words -= 1 + dims;
  }
}

std::string shortText(std::string_view text) {
  constexpr std::size_t kMaxLabelBytes = 512;
  return toValidUtf8(text.substr(0, kMaxLabelBytes));
}

constexpr std::uint32_t plusOne(std::int32_t rank) {
  return static_cast<std::uint32_t>(rank) + 1;
}

// Bounds a name or description that the program chose for a group.
std::string label(const std::string& text) {
  constexpr std::size_t kMaxBytes = 512;
  if (text.size() <= kMaxBytes) return toValidUtf8(text);
  return toValidUtf8(text.substr(0, kMaxBytes)) + "... (cut, " +
         std::to_string(text.size()) + " bytes)";
}

}  // namespace

v1::Call encodeCall(std::uint32_t id, std::string_view bytes) {
  const auto fields = take<CallDescription::Fields>(bytes);
  v1::Call call;
  call.set_id(id);
  call.set_op(static_cast<v1::Operation>(fields.op));
  call.set_group(fields.group);
  takeRuns(bytes, fields.input_words, [&] { return call.add_input(); });
  takeRuns(bytes, fields.output_words, [&] { return call.add_output(); });
  for (std::uint32_t i = 0; i < fields.split_in && !bytes.empty(); ++i) {
    call.add_split_in(take<std::int64_t>(bytes));
  }
  for (std::uint32_t i = 0; i < fields.split_out && !bytes.empty(); ++i) {
    call.add_split_out(take<std::int64_t>(bytes));
  }
  call.set_in_place(fields.in_place);
  call.set_bytes_in(fields.bytes_in);
  call.set_bytes_out(fields.in_place ? fields.bytes_in : fields.bytes_out);
  call.set_tensors_in(fields.tensors_in);
  call.set_tensors_out(fields.in_place ? fields.tensors_in
                                       : fields.tensors_out);
  call.set_tensors_cut(fields.tensors_cut);
  call.set_reduce_op(static_cast<v1::ReduceOp>(fields.reduce_op));
  call.set_root_plus_1(plusOne(fields.root));
  call.set_root_global_plus_1(plusOne(fields.root_global));
  call.set_peer_plus_1(plusOne(fields.peer));
  call.set_peer_global_plus_1(plusOne(fields.peer_global));
  if (fields.has_tag) call.set_tag(fields.tag);
  call.set_splits_cut(fields.splits_cut);
  if (fields.async_plus_1) call.set_async(fields.async_plus_1 == 2);
  if (fields.timeout_ms >= 0) call.set_timeout_ms(fields.timeout_ms);
  call.set_device(static_cast<v1::DeviceType>(fields.device));
  if (fields.device != DeviceType::kNone && fields.device_index >= 0) {
    call.set_device_index(fields.device_index);
  }
  call.set_simulated(fields.simulated);
  call.set_graph_plus_1(fields.graph_plus_1);
  return call;
}

v1::Buffers encodeBuffers(std::uint32_t id, std::string_view bytes) {
  const auto head = take<BufferList::Head>(bytes);
  v1::Buffers buffers;
  buffers.set_id(id);
  buffers.set_cut(head.cut);
  for (std::uint32_t i = 0; i < head.count && !bytes.empty(); ++i) {
    const auto from = take<BufferList::Range>(bytes);
    v1::BufferRange* range = buffers.add_range();
    range->set_storage(from.storage);
    range->set_offset_bytes(from.offset_bytes);
    range->set_span_bytes(from.span_bytes);
  }
  return buffers;
}

v1::Group encodeGroup(std::uint32_t id, const GroupInfo& info,
                      std::uint32_t nth) {
  v1::Group group;
  group.set_id(id);
  group.set_name(label(info.name));
  group.set_desc(label(info.desc));
  group.set_backend(shortText(info.backend));
  if (!info.backend_class.empty()) {
    group.set_backend_class(label(info.backend_class));
  }
  group.set_leg(shortText(info.leg));
  for (const RankRange& from : toRanges(info.members)) {
    v1::RankRange* range = group.add_member();
    range->set_first(from.first);
    range->set_count(from.count);
    range->set_stride(from.stride);
  }
  group.set_size(static_cast<std::uint32_t>(info.members.size()));
  group.set_group_rank(info.group_rank);
  group.set_nth(nth);
  return group;
}

}  // namespace traced
