// What a digest has of a stream beside sums over its operations: who it was,
// its groups and its losses.

#pragma once

#include <cstdint>
#include <string>

#include "analysis/stream/stream_table.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Adds a text to those of the payload, and returns its id.
std::uint32_t addText(v1::Payload& payload, const std::string& text);

// Sets all of it, the rows apart.
void setFacts(const StreamTable& table, const v1::Header& header,
              v1::Payload& payload);

// A table without operations that a RunSummary takes as the one that was told,
// and how many operations that had. Definitions are moved out of the payload.
struct FactsOfStream {
  StreamTable table;
  std::uint64_t operations = 0;
};
FactsOfStream readFacts(v1::Payload& payload);

}  // namespace traced
