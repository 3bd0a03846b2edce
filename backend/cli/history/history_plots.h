// What the plots of a page show: a series each, in an order in which they are
// looked at.

#pragma once

#include "cli/history/history_output.h"

namespace traced {

// Series that changed have a value of each run. Of the others runs that follow
// each other are taken together, so that there are at most 128 values.
Json historyPlots(const HistoryOutput& output);

}  // namespace traced
