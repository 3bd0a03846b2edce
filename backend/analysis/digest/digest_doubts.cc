#include "analysis/digest/digest_doubts.h"

#include <cstdint>
#include <utility>

#include "analysis/digest/call_order.h"
#include "analysis/digest/digest_source.h"
#include "analysis/digest/stream_facts.h"

namespace traced {

std::vector<std::string> digestDoubts(const TraceSet& set) {
  const DigestSource source(set);
  GroupCatalog catalog;
  CallOrders orders;
  source.forEach([&](std::size_t, v1::Payload& payload) {
    const FactsOfStream facts = readFacts(payload);
    const std::vector<std::uint32_t> groups = catalog.add(
        facts.table.header.attempt(), facts.table.definitions.groups());
    orders.add(payload.digest(), facts.table, groups);
  });
  std::vector<std::string> doubts = {
      "of a digest only each rank's latest operations are judged: who was late "
      "or slow before them, and what failed, is not; `tracectl diagnose` of "
      "the "
      "traces judges all"};
  for (std::string& difference : orders.differences(catalog)) {
    doubts.push_back(std::move(difference));
  }
  return doubts;
}

}  // namespace traced
