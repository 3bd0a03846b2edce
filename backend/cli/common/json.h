// What the JSON of all verbs shares. Its fields are described in
// docs/reference/json.md and only ever added to.

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

namespace traced {

using Json = nlohmann::ordered_json;

// Version of the JSON, in the field "schema".
inline constexpr int kJsonSchema = 1;

// `indent` below 0 writes one line. Invalid UTF-8 is replaced, and control
// characters are escaped, also those that JSON lets pass: a terminal obeys
// them.
void writeJson(std::ostream& out, const Json& json, int indent = 1);
std::string jsonText(const Json& json, int indent = 1);

// Sets a field unless the value is absent.
template <typename T>
void setIf(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

Json toJson(const TimeSum& time);
Json toJson(const TimeSummary& time);
// All groups: the array "groups". `ranks` lists the members, unless all lists
// together would be absurdly long; `members` has them as ranges.
std::vector<Json> groupsJson(const GroupCatalog& groups);
// Operations that were not recorded, if there are any: the object
// "not_recorded".
void addLeftOut(Json& json, const RunSummary::LeftOut& left_out);
// The fields "simulated", "switched_off" and "not_recorded".
void addRecording(Json& json, const RunSummary& summary);
// What was found in shared memory only, if there is any: the array
// "from_rings".
void addFromRings(Json& json, const RunSummary& summary);
// Operations that were not looked at, unless all were: the object "scope".
void addScope(Json& json, ReportedScope scope, std::uint64_t out_of_scope);

// Tracing switched off by the program: the object "switched_off".
Json pausesJson(const RunSummary::Pauses& pauses);
Json deviceTimesJson(const RunSummary::DeviceTimes& times);
// What was lost: the object "lost".
Json lostJson(const TraceSet& set, const RunSummary& summary);

}  // namespace traced
