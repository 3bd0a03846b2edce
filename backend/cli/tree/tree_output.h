// Writes a ModuleTree as text and as JSON.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/job/run_filters.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/tree/module_tree.h"
#include "cli/common/json.h"

namespace traced {

struct TreeOutput {
  std::string title;
  const TraceSet& set;
  const ModuleTree& tree;
  RunSummary summary;
  // The ranks whose operations are included.
  std::vector<std::uint32_t> ranks;
  // Detail of the text. 0: modules. 1: adds their operations. 2: adds their
  // common properties and durations. 3: adds each shape.
  int level = 1;
  // The included part of the run, and the number of these ranks' operations
  // outside it.
  RunWindow window = {};
  std::uint64_t out_of_window = 0;
};

// Returns the tree as text. `colours` adds terminal escape codes.
std::string treeText(const TreeOutput& output, bool colours);
// Returns the tree. The root has the fields of CommDebugMode's dump, and more.
Json treeJson(const TreeOutput& output);

// Returns sentences about what the tree omits.
std::vector<std::string> treeNotes(const TreeOutput& output);

// Returns the name of a phase: "forward"; "other" if it is unknown.
std::string phaseName(std::size_t phase);

}  // namespace traced
