// Input: payloads of one stream, one after the other, as if from valid chunks.

#include <string>

#include "analysis/budget/usage.h"
#include "analysis/match/match.h"
#include "analysis/reading/stream_assembler.h"
#include "analysis/report/report_builder.h"
#include "fuzz/parts.h"
#include "fuzz/target.h"

using traced::testing::require;

namespace {

traced::StreamTable assemble(std::string_view input) {
  traced::v1::Header header;
  header.set_stream_id(1);
  traced::StreamAssembler assembler(header);
  for (const std::string_view part : traced::testing::splitParts(input)) {
    if (auto payload = traced::testing::payloadOf(part)) {
      assembler.add(*payload);
    }
  }
  return std::move(assembler).finish();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  traced::StreamTable table =
      assemble({reinterpret_cast<const char*>(data), size});
  const std::size_t operations = table.operations.size();
  require(operations <= table.rows_found, "an operation has a row");

  traced::ReportBuilder builder({traced::ReportKey::kOp});
  builder.add(table);
  require(std::move(builder).finish().all.calls <= operations,
          "the report has no more operations than the trace");
  const traced::RankUsage usage(table);

  traced::LoadedRun run;
  traced::LoadedRun::Stream& stream = run.streams.emplace_back();
  stream.table = std::move(table);
  stream.group_indices = run.groups.add(0, stream.table.definitions.groups());
  require(traced::matchOperations(run, {}).cells.size() == operations,
          "every operation is shown once");
  return 0;
}
