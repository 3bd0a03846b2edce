#include "analysis/flight_recorder/dump_calls.h"

#include <algorithm>
#include <utility>

#include "analysis/flight_recorder/vocabulary.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

constexpr std::size_t kMaxDims = 64;
constexpr int kMaxRuns = 512;

void setPeer(v1::Call& call, std::uint32_t peer, const DumpGroupRef& group) {
  call.set_peer_plus_1(peer + 1);
  if (group.group && peer < group.group->members.size()) {
    call.set_peer_global_plus_1(group.group->members[peer] + 1);
  } else if (!group.group && group.is_world) {
    call.set_peer_global_plus_1(peer + 1);
  }
}

bool isSameTensor(const v1::TensorRun& a, const v1::TensorRun& b) {
  return a.dtype() == b.dtype() && a.shape_size() == b.shape_size() &&
         std::equal(a.shape().begin(), a.shape().end(), b.shape().begin());
}

}  // namespace

std::uint32_t DumpCalls::add(const DumpEntry& entry,
                             const DumpGroupRef& group) {
  const ProfilingName name = parseProfilingName(entry.profiling_name);
  v1::Call call;
  call.set_op(operationOfDump(name.op));
  call.set_group(group.id);
  if (isPointToPoint(call.op()) && name.peer) {
    setPeer(call, *name.peer, group);
  }
  if (entry.timeout_ms) call.set_timeout_ms(*entry.timeout_ms);
  const Tensors in =
      addTensors(entry.input_sizes, entry.input_dtypes, *call.mutable_input());
  const Tensors out = addTensors(entry.output_sizes, entry.output_dtypes,
                                 *call.mutable_output());
  call.set_tensors_in(in.count);
  call.set_tensors_out(out.count);
  call.set_tensors_cut(in.cut + out.cut);
  call.set_bytes_in(in.bytes);
  call.set_bytes_out(out.bytes);

  const auto next = static_cast<std::uint32_t>(payload_.call_size() + 1);
  const auto [place, is_new] =
      id_by_call_.try_emplace(call.SerializeAsString(), next);
  if (is_new) {
    call.set_id(next);
    *payload_.add_call() = std::move(call);
  }
  return place->second;
}

// A tensor whose shape or dtype does not prove its bytes is cut: what is known
// of it would be taken for all of it.
DumpCalls::Tensors DumpCalls::addTensors(Value sizes, Value dtypes,
                                         Runs& runs) {
  Tensors tensors;
  tensors.count = static_cast<std::uint32_t>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (budget_ == 0) {
      tensors.cut += static_cast<std::uint32_t>(sizes.size() - i);
      break;
    }
    v1::TensorRun run;
    std::uint64_t bytes = 0;
    if (!describe(sizes.at(i), dtypes.at(i), run, bytes) ||
        __builtin_add_overflow(tensors.bytes, bytes, &tensors.bytes)) {
      ++tensors.cut;
    } else if (!runs.empty() && isSameTensor(runs[runs.size() - 1], run)) {
      v1::TensorRun& last = runs[runs.size() - 1];
      last.set_count(std::max(last.count(), 1u) + 1);
    } else if (runs.size() < kMaxRuns) {
      *runs.Add() = std::move(run);
    } else {
      ++tensors.cut;
    }
  }
  return tensors;
}

// False when its bytes are not known.
bool DumpCalls::describe(Value shape, Value dtype_name, v1::TensorRun& run,
                         std::uint64_t& bytes) {
  budget_ -= std::min<std::uint64_t>(budget_, 1 + shape.size());
  const DumpDType dtype = dtypeOfDump(dtype_name.asName());
  if (!shape.isList() || shape.size() > kMaxDims || dtype.bytes == 0) {
    return false;
  }
  run.set_dtype(dtype.dtype);
  bytes = dtype.bytes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto extent = shape.at(i).asInt();
    if (!extent || *extent < 0 ||
        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*extent),
                               &bytes)) {
      return false;
    }
    run.add_shape(*extent);
  }
  return true;
}

}  // namespace traced
