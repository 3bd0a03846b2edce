#include "analysis/stream/call_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/names.h"

namespace traced {

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
  const auto append = [](std::string* out, const v1::TensorRun& run) {
    if (run.count() > 1) absl::StrAppend(out, run.count(), "*");
    absl::StrAppend(out, "[", absl::StrJoin(run.shape(), ","), "]");
  };
  return absl::StrJoin(tensors, " ", append);
}

std::string shapeText(const v1::Call& call) {
  std::string text =
      shapesText(call.input().empty() ? call.output() : call.input());
  if (text.empty()) return "-";
  if (call.tensors_cut() > 0) {
    absl::StrAppend(&text, " and ", call.tensors_cut(), " more");
  }
  return text;
}

}  // namespace traced
