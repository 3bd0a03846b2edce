#include "recorder/tool_ranges.h"

#include <algorithm>
#include <exception>

#include "base/clock.h"
#include "base/group_label.h"
#include "base/log_message.h"
#include "recorder/stacks/stack_source.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/chunks/operation_summary.h"
#include "traced/v1/trace.pb.h"

namespace traced {
namespace {

constexpr std::size_t kMaxLines = 4096;

std::unique_ptr<NvtxRanges> nvtxFor(const Options& options) {
  if (options.nvtx == NvtxMode::kOff) return nullptr;
  auto nvtx = NvtxRanges::load();
  if (!nvtx) {
    logMessage({"TRACED_NVTX has no effect: ", NvtxRanges::kLibrary,
                " is missing; pip install nvidia-nvtx"});
  }
  return nvtx;
}

// Returns the source line that the calling thread runs, or "". Valid until the
// thread's next call.
const std::string& sourceLineHere() {
  static const std::string none;
  StackSource* const stacks = stackSource();
  const std::uint64_t identity = stacks ? stacks->identity() : 0;
  if (identity == 0) return none;
  thread_local std::unordered_map<std::uint64_t, std::string> lines;
  if (lines.size() >= kMaxLines) lines.clear();
  const auto [line, is_new] = lines.try_emplace(identity);
  if (is_new) {
    v1::NewStack described;
    if (described.ParseFromString(stacks->describeCut())) {
      line->second = sourceLineOf(&described.stack());
    }
  }
  return line->second;
}

}  // namespace

ToolRanges::ToolRanges(const Options& options, const v1::Header& header)
    : nvtx_(nvtxFor(options)),
      marks_(options.nvtx == NvtxMode::kJson),
      profiler_ranges_(options.profiler_ranges),
      nccl_profiler_(options.nccl_profiler),
      header_(std::make_unique<const v1::Header>(header)),
      labels_(options.asSettings().at("TRACED_LABELS")) {}

ToolRanges::~ToolRanges() = default;

bool ToolRanges::begin(const RecordedGroup& group, const CallDescription& call,
                       const Issue& issue) const noexcept {
  if (!nvtx_) return false;
  try {
    const auto same = known(group, call);
    const std::string& source_line = sourceLineHere();
    const std::string correlation = same->issued.correlation(issue.seq);
    NvtxRanges::Payload payload = same->payload;
    payload.seq = issue.seq;
    payload.batch = issue.batch;
    payload.op_id = issue.op_id;
    payload.source_line = source_line.c_str();
    payload.correlation_id = correlation.c_str();
    const std::int64_t now_ns = readClock(CLOCK_REALTIME);
    payload.time_ns = static_cast<std::uint64_t>(now_ns);
    if (marks_ && !call.fields().simulated) {
      nvtx_->mark(
          same->issued.text({issue.seq, issue.batch, now_ns, source_line})
              .c_str());
    }
    nvtx_->push(payload);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::shared_ptr<const ToolRanges::Known> ToolRanges::known(
    const RecordedGroup& group, const CallDescription& call) const {
  const std::string_view bytes(static_cast<const char*>(call.bytes()),
                               call.byteSize());
  const std::string key(bytes);
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(key);
    if (found != calls_.end()) return found->second;
  }
  auto known = describe(group, bytes);
  const std::lock_guard lock(mutex_);
  if (calls_.size() >= kMaxCalls) calls_.clear();
  return calls_[key] = std::move(known);
}

NvtxRanges::Registered ToolRanges::membersOf(std::uint32_t id,
                                             const v1::Group& group) const {
  const std::lock_guard lock(mutex_);
  const auto [registered, is_new] = members_.try_emplace(id);
  if (is_new) {
    registered->second = nvtx_->registerText(membersText(group).c_str());
  }
  return registered->second;
}

std::shared_ptr<const ToolRanges::Known> ToolRanges::describe(
    const RecordedGroup& group, std::string_view call) const {
  const v1::Group members = encodeGroup(group.id(), group.info(), group.nth());
  const v1::Call described = encodeCall(0, call);
  auto known = std::make_shared<Known>();
  known->issued = describeIssued(*header_, described, members);
  known->group = groupLabel(members.name(), members.desc());
  known->device = deviceText(described);
  NvtxRanges::Payload& payload = known->payload;
  payload.operation = operationName(static_cast<Operation>(described.op()));
  payload.rank = header_->rank();
  payload.group = known->group.c_str();
  payload.group_id = group.id();
  payload.group_size = members.size();
  payload.group_ranks = membersOf(group.id(), members);
  payload.bytes = std::max(described.bytes_in(), described.bytes_out());
  payload.device = known->device.c_str();
  payload.peer = std::int64_t{described.peer_global_plus_1()} - 1;
  payload.root = std::int64_t{described.root_global_plus_1()} - 1;
  payload.labels = labels_.c_str();
  return known;
}

}  // namespace traced
