#include "analysis/job/signature.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/names.h"
#include "trace_io/word_hash.h"

namespace traced {
namespace {

using Tensors = google::protobuf::RepeatedPtrField<v1::TensorRun>;

std::uint32_t dtypeOf(const Tensors& tensors) {
  if (tensors.empty()) return 0;
  for (const v1::TensorRun& run : tensors) {
    if (run.dtype() != tensors[0].dtype()) return Signature::kMixed;
  }
  return tensors[0].dtype();
}

// Returns whether the tensors of a list differ in shape. What each rank passes
// may then differ too.
bool isUneven(const Tensors& tensors) { return tensors.size() > 1; }

void takeInput(Signature& signature, const v1::Call& call) {
  signature.bytes_in = call.bytes_in();
  signature.dtype = dtypeOf(call.input());
}

void takeOutput(Signature& signature, const v1::Call& call) {
  signature.bytes_out = call.bytes_out();
  signature.dtype = dtypeOf(call.output());
}

}  // namespace

Signature signatureOf(const v1::Call& call, CapabilitySet capabilities) {
  // A total does not show its parts, which may differ between ranks.
  const bool has_splits = capabilities.has(SourceCapability::kSplits);
  Signature signature;
  signature.op = call.op();
  signature.reduce_op = call.reduce_op();
  signature.root_plus_1 = call.root_plus_1();
  switch (call.op()) {
    case v1::OPERATION_ALL_REDUCE_SPARSE:  // ranks may hold different entries
      signature.dtype = dtypeOf(call.input());
      break;
    case v1::OPERATION_ALL_GATHER:
    case v1::OPERATION_ALL_GATHER_COALESCED:
      takeOutput(signature, call);
      if (has_splits && !isUneven(call.output())) {
        signature.bytes_in = call.bytes_in();
      }
      break;
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR:
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED:
      takeInput(signature, call);
      signature.bytes_out = call.bytes_out();
      break;
    case v1::OPERATION_REDUCE_SCATTER:
      takeInput(signature, call);
      if (has_splits && !isUneven(call.input())) {
        signature.bytes_out = call.bytes_out();
      }
      break;
    case v1::OPERATION_SCATTER:
      takeOutput(signature, call);
      break;
    case v1::OPERATION_ALL_TO_ALL:  // see split_matrix.h
      signature.dtype = dtypeOf(call.input());
      break;
    case v1::OPERATION_ALL_TO_ALL_SINGLE:
      signature.dtype = dtypeOf(call.input());
      if (has_splits && call.split_in().empty() && call.split_out().empty()) {
        signature.bytes_in = call.bytes_in();
      }
      break;
    default:
      takeInput(signature, call);
  }
  return signature;
}

Signature messageOf(const v1::Call& call, const EngineTraits& engine) {
  Signature signature;
  const bool sends = call.op() == v1::OPERATION_SEND;
  signature.bytes_in = sends ? call.bytes_in() : call.bytes_out();
  signature.dtype = dtypeOf(sends ? call.input() : call.output());
  if (engine.tags != EngineTraits::Tags::kIgnored) signature.tag = call.tag();
  return signature;
}

std::uint64_t signatureNumber(const Signature& signature) {
  const std::uint64_t parts[] = {
      static_cast<std::uint64_t>(signature.op),
      signature.dtype,
      static_cast<std::uint64_t>(signature.reduce_op),
      signature.root_plus_1,
      signature.bytes_in,
      signature.bytes_out,
      signature.tag ? std::uint64_t{1} : 0,
      static_cast<std::uint64_t>(signature.tag.value_or(0))};
  return wordHash(parts);
}

std::string sizeText(std::uint64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.4g %s", value, kUnits[unit]);
}

namespace {

// `root`: the root as text.
std::string textWithRoot(const Signature& signature, std::string root) {
  std::vector<std::string> parts;
  if (signature.bytes() > 0 || signature.dtype > 0) {
    std::string tensors =
        signature.bytes() > 0 ? sizeText(signature.bytes()) : "";
    if (signature.dtype > 0) {
      absl::StrAppend(&tensors, tensors.empty() ? "" : " ",
                      signature.dtype == Signature::kMixed
                          ? "mixed"
                          : nameOf(static_cast<v1::DType>(signature.dtype)));
    }
    parts.push_back(std::move(tensors));
  }
  if (signature.reduce_op != v1::REDUCE_OP_UNSPECIFIED) {
    parts.push_back(nameOf(signature.reduce_op));
  }
  if (signature.root_plus_1 > 0) {
    parts.push_back(std::move(root));
  }
  const bool message = signature.op == v1::OPERATION_UNSPECIFIED;
  if (signature.tag) parts.push_back(absl::StrCat("tag ", *signature.tag));
  std::string text = message ? "message" : nameOf(signature.op);
  if (parts.empty()) return text;
  return absl::StrCat(text, " (", absl::StrJoin(parts, ", "), ")");
}

}  // namespace

std::string textOf(const Signature& signature) {
  return textWithRoot(signature,
                      absl::StrCat("root: member ", signature.root_plus_1 - 1));
}

std::string textOf(Signature signature, const RankList& members) {
  if (signature.root_plus_1 == 0) return textOf(signature);
  const auto root = members.at(signature.root_plus_1 - 1);
  if (!root) return textOf(signature);
  return textWithRoot(signature, absl::StrCat("root ", *root));
}

std::uint32_t SignatureTable::intern(const Signature& signature) {
  const auto next = static_cast<std::uint32_t>(signatures_.size());
  const auto [place, is_new] = ids_.try_emplace(signature, next);
  if (is_new) signatures_.push_back(signature);
  return place->second;
}

}  // namespace traced
