#include "cli/export/fr/fr_tensors.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/export/fr/fr_names.h"
#include "trace_io/message_size.h"

namespace traced::fr {
namespace {

using Runs = google::protobuf::RepeatedPtrField<v1::TensorRun>;

// A file may claim any number of equal tensors, and say so for each operation.
constexpr std::uint64_t kMostTensors = 4096;

struct Tensors {
  Json sizes = Json::array();
  Json dtypes = Json::array();
};

std::uint32_t countOf(const v1::TensorRun& run) {
  return std::max(run.count(), 1u);
}

void add(Tensors& to, const v1::TensorRun& run, Json shape) {
  const char* name = nameOf(run.dtype());
  to.sizes.push_back(std::move(shape));
  to.dtypes.push_back(name ? name : "Undefined");
}

// Absent where they are not of one dtype.
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

Tensors asTheyAre(const Runs& runs) {
  std::uint64_t count = 0;
  for (const v1::TensorRun& run : runs) count += countOf(run);
  if (count > kMostTensors) return total(runs).value_or(Tensors());
  Tensors tensors;
  for (const v1::TensorRun& run : runs) {
    const Json shape(
        std::vector<std::int64_t>(run.shape().begin(), run.shape().end()));
    for (std::uint32_t i = 0; i < countOf(run); ++i) add(tensors, run, shape);
  }
  return tensors;
}

// What is handed to the library is one tensor of one dimension more.
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
    // Their reader adds up the first tensors of all ranks.
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
