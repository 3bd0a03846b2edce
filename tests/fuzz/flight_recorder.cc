// Input: a Flight Recorder dump, as JSON or pickle. It is parsed or refused in
// one sentence. The result has no more entries than the dump states.

#include "analysis/flight_recorder/dump.h"
#include "analysis/flight_recorder/dump_table.h"
#include "analysis/report/report_builder.h"
#include "fuzz/target.h"

using traced::testing::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto dump = traced::Dump::parse(bytes);
  if (!dump) {
    require(!dump.error().message.empty(), "a refusal has a reason");
    return 0;
  }
  if (!*dump) return 0;
  const traced::StreamTable table = traced::tableOfDump(
      **dump, traced::headerOfDump(**dump, (*dump)->rank().value_or(0), 1));
  require(table.operations.size() <= (*dump)->entryCount(),
          "an operation has an entry");
  require(table.definitions.calls().size() <= table.operations.size(),
          "a call was made");
  for (const traced::AssembledOperation& op : table.operations) {
    const traced::v1::Call* call = table.callOf(op);
    require(call && table.groupOf(*call) != traced::StreamDefinitions::kNone,
            "an operation has its call and group");
    require(!op.returned.known() && !op.wait_began.known(),
            "nothing is made up");
  }
  traced::ReportBuilder builder({traced::ReportKey::kOp});
  builder.add(table);
  require(std::move(builder).finish().all.calls == table.operations.size(),
          "the report has all operations");
  return 0;
}
