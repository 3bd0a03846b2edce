#include "analysis/stream/call_site.h"

#include "analysis/stream/context_text.h"
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

bool CallSite::known() const { return *this != CallSite(); }

CallSite callSiteOf(const StreamTable& table,
                    const AssembledOperation& operation) {
  CallSite place;
  place.site = table.siteOf(operation);
  if (const v1::Stack* stack = table.stackOf(operation)) {
    place.handling = handlingText(*stack);
  }
  place.step = table.marks.stepOf(operation.id);
  if (const v1::Context* context = table.contextOf(operation)) {
    place.module = modulePath(*context);
    if (context->phase()) place.phase = nameOf(context->phase());
    place.annotations = annotationsText(*context);
  }
  return place;
}

bool hasSites(const StreamTable& table) {
  return !table.marks.steps().empty() || table.definitions.haveContexts() ||
         table.definitions.haveStacks();
}

}  // namespace traced
