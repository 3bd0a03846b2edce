#include "analysis/stream/call_place.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

bool CallPlace::known() const { return *this != CallPlace(); }

CallPlace callPlaceOf(const StreamTable& table,
                      const AssembledOperation& operation) {
  CallPlace place;
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

bool tellsPlaces(const StreamTable& table) {
  return !table.marks.steps().empty() || table.definitions.haveContexts() ||
         table.definitions.haveStacks();
}

std::string placeText(const CallPlace& place) {
  std::vector<std::string> parts;
  if (!place.site.empty()) parts.push_back(absl::StrCat("at ", place.site));
  if (place.step) parts.push_back(absl::StrCat("in step ", *place.step));
  if (!place.module.empty()) {
    parts.push_back(place.phase.empty() ? absl::StrCat("in ", place.module)
                                        : absl::StrCat("in ", place.module,
                                                       " (", place.phase, ")"));
  } else if (!place.phase.empty()) {
    parts.push_back(absl::StrCat("in the ", place.phase));
  }
  if (!place.annotations.empty()) {
    parts.push_back(absl::StrCat("annotated \"", place.annotations, "\""));
  }
  if (!place.handling.empty()) {
    parts.push_back(absl::StrCat("while handling ", place.handling));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace traced
