// What is told of the exchange with other hosts, as metrics.

#pragma once

#include <vector>

#include "cli/serve/hosts/digest_bounds.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/peers/peer.h"

namespace traced {

// `told`: what this host tells.
void addPeerMetrics(const std::vector<Peer>& peers, const WrittenDigest& told,
                    MetricFamilies& out);

}  // namespace traced
