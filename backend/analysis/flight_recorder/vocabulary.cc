#include "analysis/flight_recorder/vocabulary.h"

#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace traced {
namespace {

std::optional<std::uint32_t> rankIn(std::string_view text) {
  std::uint32_t rank = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &rank)) {
    return std::nullopt;
  }
  return rank;
}

// Splits at the first `separator`. Without one, the second part is empty.
std::pair<std::string_view, std::string_view> cut(std::string_view text,
                                                  std::string_view separator) {
  const std::size_t place = text.find(separator);
  if (place == std::string_view::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + separator.size())};
}

using Operations = absl::flat_hash_map<std::string_view, v1::Operation>;

const Operations& operations() {
  static const Operations* const kOperations = new Operations{
      {"all_reduce", v1::OPERATION_ALL_REDUCE},
      {"allreduce_coalesced", v1::OPERATION_ALL_REDUCE_COALESCED},
      {"all_reduce_sparse", v1::OPERATION_ALL_REDUCE_SPARSE},
      {"broadcast", v1::OPERATION_BROADCAST},
      {"_broadcast_oop", v1::OPERATION_BROADCAST},
      {"reduce", v1::OPERATION_REDUCE},
      {"_reduce_oop", v1::OPERATION_REDUCE},
      {"all_gather", v1::OPERATION_ALL_GATHER},
      {"all_gather_v", v1::OPERATION_ALL_GATHER},
      {"allgather_coalesced", v1::OPERATION_ALL_GATHER_COALESCED},
      {"_all_gather_base", v1::OPERATION_ALL_GATHER_INTO_TENSOR},
      {"all_gather_single", v1::OPERATION_ALL_GATHER_INTO_TENSOR},
      {"all_gather_into_tensor_coalesced",
       v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED},
      {"gather", v1::OPERATION_GATHER},
      {"scatter", v1::OPERATION_SCATTER},
      {"reduce_scatter", v1::OPERATION_REDUCE_SCATTER},
      {"reduce_scatter_v", v1::OPERATION_REDUCE_SCATTER},
      {"_reduce_scatter_base", v1::OPERATION_REDUCE_SCATTER_TENSOR},
      {"reduce_scatter_single", v1::OPERATION_REDUCE_SCATTER_TENSOR},
      {"reduce_scatter_tensor_coalesced",
       v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED},
      {"all_to_all", v1::OPERATION_ALL_TO_ALL},
      {"all_to_all_single", v1::OPERATION_ALL_TO_ALL_SINGLE},
      {"all_to_all_v_single", v1::OPERATION_ALL_TO_ALL_SINGLE},
      {"send", v1::OPERATION_SEND},
      {"recv", v1::OPERATION_RECV},
      {"recvAnySource", v1::OPERATION_RECV},
      {"barrier", v1::OPERATION_BARRIER},
      {"all_reduce_barrier", v1::OPERATION_BARRIER},
      {"coalesced", v1::OPERATION_COALESCED},
      {"ALLGATHER_coalesced", v1::OPERATION_COALESCED},
      {"REDUCE_SCATTER_coalesced", v1::OPERATION_COALESCED},
      {"split", v1::OPERATION_SPLIT}};
  return *kOperations;
}

using DTypes = absl::flat_hash_map<std::string_view, DumpDType>;

const DTypes& dtypes() {
  static const DTypes* const kDTypes =
      new DTypes{{"Byte", {v1::DTYPE_UINT8, 1}},
                 {"Char", {v1::DTYPE_INT8, 1}},
                 {"Short", {v1::DTYPE_INT16, 2}},
                 {"Int", {v1::DTYPE_INT32, 4}},
                 {"Long", {v1::DTYPE_INT64, 8}},
                 {"UInt16", {v1::DTYPE_UINT16, 2}},
                 {"UInt32", {v1::DTYPE_UINT32, 4}},
                 {"UInt64", {v1::DTYPE_UINT64, 8}},
                 {"Half", {v1::DTYPE_FLOAT16, 2}},
                 {"BFloat16", {v1::DTYPE_BFLOAT16, 2}},
                 {"Float", {v1::DTYPE_FLOAT32, 4}},
                 {"Double", {v1::DTYPE_FLOAT64, 8}},
                 {"ComplexHalf", {v1::DTYPE_COMPLEX32, 4}},
                 {"ComplexFloat", {v1::DTYPE_COMPLEX64, 8}},
                 {"ComplexDouble", {v1::DTYPE_COMPLEX128, 16}},
                 {"Bool", {v1::DTYPE_BOOL, 1}},
                 {"Float8_e4m3fn", {v1::DTYPE_FLOAT8_E4M3FN, 1}},
                 {"Float8_e5m2", {v1::DTYPE_FLOAT8_E5M2, 1}},
                 {"Float8_e4m3fnuz", {v1::DTYPE_FLOAT8_E4M3FNUZ, 1}},
                 {"Float8_e5m2fnuz", {v1::DTYPE_FLOAT8_E5M2FNUZ, 1}},
                 {"Float8_e8m0fnu", {v1::DTYPE_FLOAT8_E8M0FNU, 1}},
                 {"Float4_e2m1fn_x2", {v1::DTYPE_FLOAT4_E2M1FN_X2, 1}},
                 {"QUInt8", {v1::DTYPE_QUINT8, 1}},
                 {"QInt8", {v1::DTYPE_QINT8, 1}},
                 {"QInt32", {v1::DTYPE_QINT32, 4}}};
  return *kDTypes;
}

}  // namespace

ProfilingName parseProfilingName(std::string_view name) {
  ProfilingName parsed;
  std::string_view call = name;
  if (name.find(':') != std::string_view::npos) {
    std::tie(parsed.backend, call) = cut(name, ":");
  }
  std::string_view peers;
  std::tie(parsed.op, peers) = cut(call, " ");
  const bool sends = peers.find("->") != std::string_view::npos;
  const auto [self, peer] = cut(peers, sends ? "->" : "<-");
  parsed.self = rankIn(self);
  parsed.peer = rankIn(peer);
  return parsed;
}

v1::Operation operationOfDump(std::string_view op) {
  const auto found = operations().find(op);
  return found == operations().end() ? v1::OPERATION_UNSPECIFIED
                                     : found->second;
}

DumpDType dtypeOfDump(std::string_view name) {
  const auto found = dtypes().find(name);
  return found == dtypes().end() ? DumpDType{} : found->second;
}

}  // namespace traced
