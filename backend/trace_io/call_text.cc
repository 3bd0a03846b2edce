#include "trace_io/call_text.h"

#include "trace_io/names.h"

namespace traced {
namespace {

std::string shapeOf(const v1::TensorRun& run) {
  std::string text = run.count() > 1 ? std::to_string(run.count()) + "*" : "";
  text += '[';
  for (int i = 0; i < run.shape_size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(run.shape(i));
  }
  return text + ']';
}

}  // namespace

std::string dtypeText(const v1::Call& call) {
  const v1::TensorRun* first = nullptr;
  for (const auto* runs : {&call.input(), &call.output()}) {
    for (const v1::TensorRun& run : *runs) {
      if (!first) first = &run;
      if (run.dtype() != first->dtype()) return "mixed";
    }
  }
  return first ? nameOf(first->dtype()) : "-";
}

std::string shapesText(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors) {
  std::string text;
  for (const v1::TensorRun& run : tensors) {
    if (!text.empty()) text += ' ';
    text += shapeOf(run);
  }
  return text;
}

std::string shapeText(const v1::Call& call) {
  std::string text =
      shapesText(call.input().empty() ? call.output() : call.input());
  if (text.empty()) return "-";
  if (call.tensors_cut() > 0) {
    text += " and " + std::to_string(call.tensors_cut()) + " more";
  }
  return text;
}

}  // namespace traced
