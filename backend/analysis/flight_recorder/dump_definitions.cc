#include "analysis/flight_recorder/dump_definitions.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "analysis/flight_recorder/vocabulary.h"
#include "analysis/stream/operation_kinds.h"
#include "base/utf8.h"

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

// A tensor with an unknown size is counted as cut. Otherwise the known part
// would pass for the whole.
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

// Returns false if the size in bytes is unknown.
bool DumpCalls::describe(Value shape, Value dtype_name, v1::TensorRun& run,
                         std::uint64_t& bytes) {
  budget_ -= std::min<std::uint64_t>(budget_, 1 + shape.size());
  const DumpDType dtype = dtypeOfDump(dtype_name.asName());
  // Old dumps have a number for a tensor of one dimension.
  const bool is_number = shape.asInt().has_value();
  const std::size_t dims = is_number ? 1 : shape.size();
  if (!(is_number || shape.isList()) || dims > kMaxDims || dtype.bytes == 0) {
    return false;
  }
  run.set_dtype(dtype.dtype);
  bytes = dtype.bytes;
  for (std::size_t i = 0; i < dims; ++i) {
    const auto extent = (is_number ? shape : shape.at(i)).asInt();
    if (!extent || *extent < 0 ||
        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*extent),
                               &bytes)) {
      return false;
    }
    run.add_shape(*extent);
  }
  return true;
}

namespace {

constexpr std::size_t kMaxFileBytes = 512;
constexpr std::size_t kMaxNameBytes = 128;
// Bytes for the line number and the text around it.
constexpr std::size_t kLineBytes = 16;
// Minimum size of a frame in any dump.
constexpr std::uint64_t kMinFrameBytes = 8;

// The end of a path is more informative than its beginning.
std::string_view lastOf(std::string_view text, std::size_t bytes) {
  return text.substr(text.size() - std::min(text.size(), bytes));
}

}  // namespace

CodeKind dumpedCodeOf(std::string_view file) {
  const absl::string_view path(file.data(), file.size());
  const auto isPartOf = [&](absl::string_view folder) {
    return absl::StrContains(path, folder);
  };
  if (!absl::EndsWith(path, ".py") || isPartOf("-packages/torch/") ||
      isPartOf("-packages/traced/") || isPartOf("/torch/distributed/") ||
      isPartOf("/torch/nn/") || isPartOf("/torch/autograd/") ||
      isPartOf("/torch/utils/")) {
    return CodeKind::kLibrary;
  }
  if (isPartOf("/site-packages/") || isPartOf("/dist-packages/")) {
    return CodeKind::kPackage;
  }
  return isPartOf("/lib/python3") ? CodeKind::kLibrary : CodeKind::kProgram;
}

DumpSites::DumpSites(v1::Payload& payload, std::uint64_t dump_bytes)
    : payload_(payload),
      frames_left_(dump_bytes / kMinFrameBytes),
      text_bytes_left_(dump_bytes) {}

DumpSites::Site DumpSites::siteOf(Value frames) {
  Site site;
  for (std::size_t i = 0; i < frames.size() && frames_left_ > 0; ++i) {
    --frames_left_;
    const Value frame = frames.at(i);
    const std::string_view file =
        lastOf(frame.find("filename").asText().value_or(""), kMaxFileBytes);
    const CodeKind code = dumpedCodeOf(file);
    const bool is_package = code == CodeKind::kPackage;
    if (code == CodeKind::kLibrary) continue;
    if (is_package && !std::get<0>(site.package).empty()) continue;
    Place& place = is_package ? site.package : site.program;
    place = {file, frame.find("name").asName().substr(0, kMaxNameBytes),
             frame.find("line").asInt().value_or(0)};
    if (!is_package) return site;
  }
  std::swap(site.program, site.package);
  return site;
}

void DumpSites::fillFrame(const Place& place, v1::Frame& frame) {
  const auto& [path, name, line] = place;
  frame.set_file(toValidUtf8(path));
  frame.set_function(toValidUtf8(name));
  frame.set_line(static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(line, 0, UINT32_MAX)));
}

std::uint32_t DumpSites::add(Value frames) {
  const Site site = siteOf(frames);
  if (std::get<0>(site.program).empty()) return 0;
  const auto known = ids_.find(site);
  if (known != ids_.end()) return known->second;
  const bool has_package = !std::get<0>(site.package).empty();
  std::size_t bytes = 0;
  for (const auto& [path, name, line] : {site.program, site.package}) {
    bytes += path.size() + name.size() + kLineBytes;
  }
  if (bytes > text_bytes_left_) return 0;
  text_bytes_left_ -= bytes;
  v1::Stack& added = *payload_.add_stack();
  added.set_id(static_cast<std::uint32_t>(payload_.stack_size()));
  if (has_package) {
    fillFrame(site.package, *added.add_frame());
    added.set_package(1);
  }
  fillFrame(site.program, *added.add_frame());
  added.set_site(static_cast<std::uint32_t>(added.frame_size()));
  ids_.emplace(site, added.id());
  return added.id();
}

}  // namespace traced
