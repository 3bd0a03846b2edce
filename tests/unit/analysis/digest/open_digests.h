// Traces and digests, opened as those verbs do that take both.

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/reading/run_choice.h"

namespace traced::testing {

inline TraceSet openDigests(const std::vector<std::string>& paths) {
  RunChoice choice;
  choice.digests = true;
  auto set = openTraceSet(paths, {}, choice);
  EXPECT_TRUE(set) << set.error().message;
  return *std::move(set);
}

}  // namespace traced::testing
