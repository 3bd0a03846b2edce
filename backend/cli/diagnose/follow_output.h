// What tracectl diagnose --follow writes.

#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "analysis/diagnosis/diagnosis.h"

namespace traced {

// "2026-11-22 14:02:16 UTC": now.
std::string timeText();
// That what was told earlier is no longer so.
std::string overText(const std::string& summary);

// Objects of one line; see docs/cli.md.
std::string verdictLineJson(const JobState& job, const JobVerdict& verdict,
                            bool stock_names);
std::string overJson(const JobVerdict& verdict, const std::string& summary);
std::string endJson(const std::set<std::uint32_t>& culprits);

}  // namespace traced
