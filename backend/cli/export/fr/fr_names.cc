#include "cli/export/fr/fr_names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace_io/message_size.h"

namespace traced::fr {

const char* nameOf(v1::Operation op) {
  switch (op) {
    case v1::OPERATION_ALL_REDUCE:
      return "all_reduce";
    case v1::OPERATION_ALL_REDUCE_COALESCED:
      return "allreduce_coalesced";
    case v1::OPERATION_BROADCAST:
      return "broadcast";
    case v1::OPERATION_REDUCE:
      return "reduce";
    case v1::OPERATION_ALL_GATHER:
      return "all_gather";
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR:
      return "_all_gather_base";
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED:
      return "all_gather_into_tensor_coalesced";
    case v1::OPERATION_GATHER:
    case v1::OPERATION_GATHER_INTO_TENSOR:
      return "gather";
    case v1::OPERATION_SCATTER:
      return "scatter";
    case v1::OPERATION_REDUCE_SCATTER:
      return "reduce_scatter";
    case v1::OPERATION_REDUCE_SCATTER_TENSOR:
      return "_reduce_scatter_base";
    case v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED:
      return "reduce_scatter_tensor_coalesced";
    case v1::OPERATION_ALL_TO_ALL:
    case v1::OPERATION_ALL_TO_ALL_SINGLE:
      return "all_to_all";
    case v1::OPERATION_SEND:
      return "send";
    case v1::OPERATION_RECV:
      return "recv";
    case v1::OPERATION_BARRIER:
      return "all_reduce_barrier";
    case v1::OPERATION_COALESCED:
      return "coalesced";
    default:
      return nullptr;
  }
}

const char* nameOf(v1::DType dtype) {
  switch (dtype) {
    case v1::DTYPE_UINT8:
      return "Byte";
    case v1::DTYPE_INT8:
      return "Char";
    case v1::DTYPE_INT16:
      return "Short";
    case v1::DTYPE_INT32:
      return "Int";
    case v1::DTYPE_INT64:
      return "Long";
    case v1::DTYPE_UINT16:
      return "UInt16";
    case v1::DTYPE_UINT32:
      return "UInt32";
    case v1::DTYPE_UINT64:
      return "UInt64";
    case v1::DTYPE_FLOAT16:
      return "Half";
    case v1::DTYPE_BFLOAT16:
      return "BFloat16";
    case v1::DTYPE_FLOAT32:
      return "Float";
    case v1::DTYPE_FLOAT64:
      return "Double";
    case v1::DTYPE_COMPLEX32:
      return "ComplexHalf";
    case v1::DTYPE_COMPLEX64:
      return "ComplexFloat";
    case v1::DTYPE_COMPLEX128:
      return "ComplexDouble";
    case v1::DTYPE_BOOL:
      return "Bool";
    case v1::DTYPE_FLOAT8_E4M3FN:
      return "Float8_e4m3fn";
    case v1::DTYPE_FLOAT8_E5M2:
      return "Float8_e5m2";
    case v1::DTYPE_FLOAT8_E4M3FNUZ:
      return "Float8_e4m3fnuz";
    case v1::DTYPE_FLOAT8_E5M2FNUZ:
      return "Float8_e5m2fnuz";
    case v1::DTYPE_FLOAT8_E8M0FNU:
      return "Float8_e8m0fnu";
    case v1::DTYPE_FLOAT4_E2M1FN_X2:
      return "Float4_e2m1fn_x2";
    case v1::DTYPE_QUINT8:
      return "QUInt8";
    case v1::DTYPE_QINT8:
      return "QInt8";
    case v1::DTYPE_QINT32:
      return "QInt32";
    default:
      return nullptr;
  }
}

namespace {

using Runs = google::protobuf::RepeatedPtrField<v1::TensorRun>;

// Limits the output: a file may claim any number of equal tensors for each
// operation.
constexpr std::uint64_t kMaxTensors = 4096;

struct Tensors {
  Json sizes = Json::array();
  Json dtypes = Json::array();
};

// Returns the number of equal tensors. 0 in the file means 1.
std::uint32_t countOf(const v1::TensorRun& run) {
  return std::max(run.count(), 1u);
}

void add(Tensors& to, const v1::TensorRun& run, Json shape) {
  const char* name = nameOf(run.dtype());
  to.sizes.push_back(std::move(shape));
  to.dtypes.push_back(name ? name : "Undefined");
}

// Returns one tensor with all elements. Absent if the dtypes differ.
std::optional<Tensors> total(const Runs& runs) {
  const bool alike = std::all_of(
      runs.begin(), runs.end(),
      [&](const v1::TensorRun& run) { return run.dtype() == runs[0].dtype(); });
  const auto elements = elementsOf(runs);
  if (!alike || !elements) return std::nullopt;
  Tensors tensors;
  if (!runs.empty()) {
    add(tensors, runs[0], Json(std::vector<std::int64_t>{*elements}));
  }
  return tensors;
}

// Returns each tensor with its own shape.
Tensors asTheyAre(const Runs& runs) {
  std::uint64_t count = 0;
  for (const v1::TensorRun& run : runs) count += countOf(run);
  if (count > kMaxTensors) return total(runs).value_or(Tensors());
  Tensors tensors;
  for (const v1::TensorRun& run : runs) {
    const Json shape(
        std::vector<std::int64_t>(run.shape().begin(), run.shape().end()));
    for (std::uint32_t i = 0; i < countOf(run); ++i) add(tensors, run, shape);
  }
  return tensors;
}

// Returns the one tensor that the library receives, which has one dimension
// more.
Tensors flattened(const Runs& runs) {
  if (runs.size() != 1) return asTheyAre(runs);
  std::vector<std::int64_t> shape{countOf(runs[0])};
  shape.insert(shape.end(), runs[0].shape().begin(), runs[0].shape().end());
  Tensors tensors;
  add(tensors, runs[0], Json(shape));
  return tensors;
}

}  // namespace

void addTensors(Json& entry, const v1::Call& call) {
  const Runs& in = call.input();
  const Runs& out = call.in_place() ? call.input() : call.output();
  const auto tensors = [&](const Runs& runs, v1::Operation listed) {
    // torchfrtrace adds the sizes of the first tensors of all ranks.
    const auto all = call.op() == v1::OPERATION_ALL_TO_ALL
                         ? total(runs)
                         : std::optional<Tensors>();
    if (all) return *all;
    return call.op() == listed ? flattened(runs) : asTheyAre(runs);
  };
  Tensors inputs = tensors(in, v1::OPERATION_REDUCE_SCATTER);
  Tensors outputs = tensors(out, v1::OPERATION_ALL_GATHER);
  entry["input_sizes"] = std::move(inputs.sizes);
  entry["input_dtypes"] = std::move(inputs.dtypes);
  entry["output_sizes"] = std::move(outputs.sizes);
  entry["output_dtypes"] = std::move(outputs.dtypes);
}

}  // namespace traced::fr
