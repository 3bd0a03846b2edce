#include "analysis/stream/call_site.h"

#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"

namespace traced {

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
