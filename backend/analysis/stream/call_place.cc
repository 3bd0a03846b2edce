#include "analysis/stream/call_place.h"

#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"

namespace traced {

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

}  // namespace traced
