#include "cli/serve/peers/peer_metrics.h"

namespace traced {

void addPeerMetrics(const std::vector<Peer>& peers, const WrittenDigest& told,
                    MetricFamilies& out) {
  for (const Peer& peer : peers) {
    const MetricLabels labels = {{"peer", peer.address}};
    out.gauge("traced_serve_peer_up", "Whether what it tells counts", labels,
              peer.digest ? 1 : 0);
    out.gauge("traced_serve_peer_silent_seconds", "Since it told something new",
              labels, peer.silent_s);
    out.counter("traced_serve_peer_bytes", "What it has told, in bytes", labels,
                static_cast<double>(peer.all_bytes));
  }
  out.gauge("traced_serve_digest_bytes", "What this host tells each peer", {},
            static_cast<double>(told.bytes.size()));
  out.gauge("traced_serve_digest_left_out_groups",
            "Groups for which there was no room in that", {},
            told.left_out_groups);
}

}  // namespace traced
