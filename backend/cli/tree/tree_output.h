// A ModuleTree as text and as JSON.

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
  // Whose operations were added up.
  std::vector<std::uint32_t> ranks;
  // 0: modules; 1: and their operations; 2: and how they are alike and how long
  // they took; 3: each shape.
  int level = 1;
  // And in which part of the run; how many of theirs are outside.
  RunWindow window = {};
  std::uint64_t out_of_window = 0;
};

// `colours` are those of a terminal.
std::string treeText(const TreeOutput& output, bool colours);
// The root has the fields of CommDebugMode's dump, and more.
Json treeJson(const TreeOutput& output);

// Sentences about what the tree leaves out.
std::vector<std::string> treeNotes(const TreeOutput& output);

// What a phase is called: "forward"; "other" where it is not known.
std::string phaseName(std::size_t phase);

}  // namespace traced
