// Peers requests the digests of other hosts on its own threads, so that `serve`
// never waits for a host that does not answer.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/serve/hosts/digest_bounds.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/peers/peer_list.h"

namespace traced {

class Peers {
 public:
  // Bound on the rate of all digests together. Above it, each peer is asked
  // less often.
  static constexpr double kMaxBytesPerSecond = 4 << 20;

  struct Options {
    PeerList list;
    std::string token;
    // Interval between requests to the same peer.
    std::chrono::nanoseconds interval{};
    // Identifies this `serve`. An address that answers with the same value is
    // not a peer.
    std::uint64_t instance = 0;
  };

  explicit Peers(Options options);
  // Does not wait for responses.
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  // Returns all peers except this `serve`, sorted by address.
  std::vector<Peer> all() const;
  // Returns new sentences for the user: a peer that no longer answers, and one
  // that answers again.
  std::vector<std::string> takeMessages();

 private:
  struct State;

  static void run(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

// Adds metrics of the exchange with other hosts. `own_digest` is the digest
// that this host publishes.
void addPeerMetrics(const std::vector<Peer>& peers,
                    const WrittenDigest& own_digest, MetricFamilies& out);

}  // namespace traced
