// Input: the digest of another host. It is refused, or published.

#include <string>
#include <vector>

#include "analysis/live/order_digest.h"
#include "cli/serve/hosts/digest_bounds.h"
#include "cli/serve/hosts/hosts.h"
#include "cli/serve/live_findings.h"
#include "cli/serve/live_metrics.h"
#include "cli/serve/metric_families.h"
#include "fuzz/target.h"

using namespace traced;
using traced::testing::require;

namespace {

const OrderWatch& watchedHere() {
  static const OrderWatch* const watch = [] {
    auto* made = new OrderWatch;
    for (std::uint64_t seq = 1; seq < 500; ++seq) {
      made->addCall(0, seq, seq % 5);
    }
    return made;
  }();
  return *watch;
}

void compare(const v1::HostDigest& digest) {
  for (const v1::JobDigest& job : digest.jobs()) {
    for (const v1::GroupDigest& group : job.groups()) {
      const OrderDifference found =
          orderDifference(watchedHere(), 0, group.order());
      require(!found.seq || watchedHere().signatureAt(0, *found.seq),
              "what differs is known here");
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto digest = readDigest({reinterpret_cast<const char*>(data), size});
  if (!digest) {
    require(!digest.error().message.empty(), "it says why");
    return 0;
  }
  require(bool(readDigest(writeDigest(*digest).bytes)),
          "what is told can be read");
  compare(*digest);
  Peer peer;
  peer.address = "node7:9464";
  peer.digest = std::make_shared<const v1::HostDigest>(*std::move(digest));
  Hosts hosts({"here", 1, {}});
  // Twice the same peer: each rank must be reported by only one of them.
  hosts.refresh(WatchedJobs({"/none"}), {peer, peer});
  const auto findings = findingsOf(hosts.jobs());
  require(!jsonText(verdictsJson(hosts, findings)).empty(), "verdicts");
  require(!livePage(hosts, findings, 1).empty(), "a page");
  require(!openMetricsText(hostsMetricsOf(hosts)).empty(), "metrics");
  return 0;
}
