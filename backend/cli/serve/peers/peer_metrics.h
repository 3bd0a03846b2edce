// What is told of the exchange with other hosts, as metrics.

#pragma once

#include <vector>

#include "cli/serve/metric_families.h"
#include "cli/serve/peers/peer.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

// `digest`: what this host tells.
void addPeerMetrics(const std::vector<Peer>& peers,
                    const v1::HostDigest& digest, MetricFamilies& out);

}  // namespace traced
