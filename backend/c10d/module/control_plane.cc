#include "c10d/module/control_plane.h"

#include <exception>
#include <string>
#include <torch/csrc/distributed/c10d/control_plane/Handlers.hpp>

#include "base/clock.h"
#include "recorder/metrics/metrics.h"
#include "recorder/recorder.h"

namespace traced {
namespace {

namespace plane = c10d::control_plane;

using FiguresText = std::string (*)(const RankFigures&, std::int64_t now_ns);

// An empty object where nothing is recorded.
void answerWith(FiguresText textOf, plane::Response& response) {
  Recorder* const recorder = Recorder::current();
  std::string text = recorder ? textOf(recorder->figures(), nowNs()) : "{}";
  response.setContent(std::move(text), "application/json");
  response.setStatus(200);
}

void registerOne(const char* name, FiguresText textOf) {
  plane::registerHandler(
      name, [textOf](const plane::Request&, plane::Response& response) {
        answerWith(textOf, response);
      });
}

}  // namespace

void registerHandlers() noexcept {
  try {
    registerOne("traced_metrics", &metricsJson);
    registerOne("traced_in_flight", &inFlightJson);
  } catch (const std::exception&) {  // the names are another's: he answers
  }
}

}  // namespace traced
