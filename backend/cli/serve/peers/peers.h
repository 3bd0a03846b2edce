// Peers asks the `serve` of other hosts for their digests, in threads of its
// own: nobody waits for a host that does not answer.

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
  // What all digests together may come to, in bytes a second: with more, each
  // peer is asked more rarely.
  static constexpr double kMaxBytesPerSecond = 4 << 20;

  struct Options {
    PeerList list;
    std::string token;
    // How often each is asked.
    std::chrono::nanoseconds interval{};
    // Of this `serve`: who has the same is no peer.
    std::uint64_t instance = 0;
  };

  explicit Peers(Options options);
  // Does not wait for an answer.
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  // All but this one, by their addresses.
  std::vector<Peer> all() const;
  // Sentences for people: that one no longer answers, and that it does again.
  std::vector<std::string> takeWords();

 private:
  struct State;

  static void run(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

// Adds metrics of the exchange with other hosts. `told`: what this host tells.
void addPeerMetrics(const std::vector<Peer>& peers, const WrittenDigest& told,
                    MetricFamilies& out);

}  // namespace traced
