// The part of Writer that executes requests from outside the process.

#include <exception>
#include <utility>

#include "base/clock.h"
#include "recorder/recorder.h"
#include "recorder/stacks/stack_source.h"
#include "recorder/writer.h"
#include "ring_io/control/control_request.h"

namespace traced {
namespace {

bool switchStacks(StackMode mode) {
  StackSource* const source = stackSource();
  return source ? source->switchPython(mode) : mode == StackMode::kOff;
}

}  // namespace

bool Writer::executeRequest() noexcept {
  try {
    const auto request = readRequest(trigger_.path());
    if (!request || std::exchange(last_request_, request->id) == request->id) {
      return false;
    }
    if (!request->concerns(rank_)) return true;
    const auto changes = parseChanges(request->settings);
    const ControlAnswer answer =
        changes ? apply(*changes) : ControlAnswer{"", changes.error().message};
    if (ring_.used() >= ring_.capacity()) writeChunk(false);
    if (Recorder* const recorder = Recorder::current()) {
      recorder->mark(MarkKind::kSettings, request->id, answer.text().c_str());
    }
    drain();
    return true;
  } catch (const std::exception&) {  // no memory: the request gets no answer
    return true;
  }
}

ControlAnswer Writer::apply(const SettingChanges& changes) {
  SettingChanges done = changes;
  ControlAnswer answer;
  if (changes.stacks && !switchStacks(*changes.stacks)) {
    done.stacks.reset();
    answer.refused = "stacks, as none were recorded when the job began";
  }
  if (changes.watch_ns) watch(*changes.watch_ns);
  if (changes.enabled) Recorder::setEnabled(*changes.enabled);
  answer.in_force = textOf(done);
  return answer;
}

}  // namespace traced
