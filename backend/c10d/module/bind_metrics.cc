#include "c10d/module/bind_metrics.h"

#include <optional>
#include <variant>

#include "base/clock.h"
#include "c10d/module/control_plane.h"
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
             "What this rank has communicated so far; None if nothing is "
             "recorded.");
  registerHandlers();
}

}  // namespace traced
