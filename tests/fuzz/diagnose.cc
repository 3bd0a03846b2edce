// Input: a job of several ranks, one payload each, as if all chunks were valid.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/reading/stream_assembler.h"
#include "fuzz/parts.h"
#include "fuzz/target.h"
#include "phrasing/verdict_text.h"

using traced::testing::require;

namespace {

// The selection of streams guarantees one stream per rank, in ascending order.
// The recorder writes the headers, so these are not fuzzed.
traced::TraceSet selectRanks(std::size_t ranks) {
  traced::TraceSet set;
  for (std::size_t i = 0; i < ranks; ++i) {
    traced::TraceStream& stream = set.streams.emplace_back();
    stream.header.set_rank(static_cast<std::uint32_t>(i));
    stream.header.set_world_size(static_cast<std::uint32_t>(ranks));
    stream.header.set_boot_id("boot");
    set.selected.push_back(i);
  }
  return set;
}

traced::StreamTable assemble(const traced::v1::Header& header,
                             std::string_view part) {
  traced::StreamAssembler assembler(header);
  if (auto payload = traced::testing::payloadOf(part)) {
    assembler.add(*payload);
  }
  return std::move(assembler).finish();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string_view> parts =
      traced::testing::splitParts({reinterpret_cast<const char*>(data), size});
  const traced::TraceSet set = selectRanks(parts.size());
  traced::JobStateBuilder builder(set);
  traced::AlignedClocks clocks;
  clocks.models.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    builder.add(assemble(set.streams[i].header, parts[i]));
  }
  const traced::Diagnosis diagnosis =
      traced::judge(std::move(builder).finish(std::move(clocks)), set, {});
  for (const traced::JobVerdict& verdict : diagnosis.verdicts) {
    require(!traced::summaryOf(diagnosis.job, verdict).empty(),
            "a verdict says what happened");
    for (const auto* facts :
         {&verdict.now, &verdict.reasons, &verdict.advice}) {
      traced::phrases(diagnosis.job, *facts);
    }
    require(std::is_sorted(verdict.culprits.begin(), verdict.culprits.end()),
            "culprits are in order");
    for (const std::uint32_t culprit : verdict.culprits) {
      require(std::binary_search(diagnosis.culprits.begin(),
                                 diagnosis.culprits.end(), culprit),
              "every culprit is named");
    }
  }
  return 0;
}
