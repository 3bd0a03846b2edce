#include <exception>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/control_plane/Handlers.hpp>
#include <variant>

#include "base/clock.h"
#include "c10d/module/bindings.h"
#include "recorder/metrics/metrics.h"
#include "recorder/recorder.h"

namespace py = pybind11;

namespace traced {
namespace {

std::optional<py::dict> currentMetrics() {
  Recorder* const recorder = Recorder::current();
  if (!recorder) return std::nullopt;
  py::dict dict;
  for (const Metric& metric : metricsOf(recorder->figures(), nowNs())) {
    std::visit([&](auto value) { dict[metric.name] = value; }, metric.value);
  }
  return dict;
}

}  // namespace

void bindMetrics(py::module_& module) {
  module.def("metrics", &currentMetrics,
             "Returns this rank's communication totals, or None if nothing is "
             "recorded.");
  registerHandlers();
}

namespace {

namespace plane = c10d::control_plane;

using FiguresText = std::string (*)(const RankFigures&, std::int64_t now_ns);

// Responds with an empty object if nothing is recorded.
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
    // other code registered these names: its handlers stay
  } catch (const std::exception&) {
  }
}

}  // namespace traced
