// Helpers that the JSON output of all commands shares. docs/reference/json.md
// describes its fields. Fields are only ever added.

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/figures/samples.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/run_filters.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "trace_io/tensor_summary.h"

namespace traced {

using Json = nlohmann::ordered_json;

// Version of the JSON, in the field "schema".
inline constexpr int kJsonSchema = 1;

// Writes JSON without a final newline. An `indent` below 0 writes one line.
// Replaces invalid UTF-8. Escapes all control characters, also those that JSON
// allows, because a terminal executes them.
void writeJson(std::ostream& out, const Json& json, int indent = 1);
std::string jsonText(const Json& json, int indent = 1);

// Sets a field unless the value is absent.
template <typename T>
void setIf(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

Json toJson(const TimeSum& time);
Json toJson(const TimeSummary& time);
Json toJson(const TensorSummary& tensors);
// Returns the array "groups". `ranks` lists the members, unless all lists
// together would be too long. `members` has them as ranges.
std::vector<Json> groupsJson(const GroupCatalog& groups);
// Adds the object "not_recorded" if operations were not recorded.
void addLeftOut(Json& json, const RunSummary::LeftOut& left_out);
// Adds the fields "simulated", "switched_off" and "not_recorded".
void addRecording(Json& json, const RunSummary& summary);
// Adds the array "from_rings" if data came from shared memory only.
void addFromRings(Json& json, const RunSummary& summary);
// Adds the object "scope" unless all operations were included.
void addScope(Json& json, ReportedScope scope, std::uint64_t out_of_scope);

// Returns the object "switched_off": when the program paused tracing.
Json pausesJson(const RunSummary::Pauses& pauses);
Json deviceTimesJson(const RunSummary::DeviceTimes& times);
// Returns the object "lost".
Json lostJson(const TraceSet& set, const RunSummary& summary);

}  // namespace traced
