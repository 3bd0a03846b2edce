#include "cli/serve/peers/peers.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/serve/hosts/digest_bounds.h"
#include "cli/serve/http/http_exchange.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using Clock = std::chrono::steady_clock;

constexpr HttpBounds kBounds{std::chrono::seconds(3), kMaxDigestBytes};
// Number of peers asked at the same time.
constexpr std::size_t kThreads = 8;
// Maximum interval between requests to a peer that does not answer.
constexpr std::chrono::nanoseconds kMaxPause = std::chrono::seconds(5);
constexpr std::chrono::milliseconds kMinPause{10};
constexpr std::chrono::seconds kListEvery{10};
// How long a digest stays valid, unless 5 intervals are longer.
constexpr std::chrono::nanoseconds kFresh = std::chrono::seconds(10);

// Requests a digest. Blocks within kBounds, plus the lookup of the host's name.
// Sets `bytes` to the size of a response.
Result<v1::HostDigest> ask(const HttpUrl& url, const std::string& token,
                           std::uint64_t& bytes) {
  const Result<HttpAnswer> answer = askHttp({url, "", "", token}, kBounds);
  if (!answer) return answer.error();
  bytes = answer->body.size();
  if (answer->status == 401) {
    return Error{"it has another token (--token-file), or this one has none"};
  }
  if (answer->status == 404) {
    return Error{"it sends nothing to other hosts: start it with --peers"};
  }
  if (answer->status != 200) {
    return Error{absl::StrCat("it answered ", answer->status)};
  }
  return readDigest(answer->body);
}

}  // namespace

struct Peers::State {
  struct Known {
    HttpUrl url;
    Clock::time_point since = Clock::now();
    Clock::time_point due = Clock::now();
    bool is_asked = false;
    bool is_self = false;
    int failed_in_a_row = 0;
    Clock::time_point last_news;
    std::shared_ptr<const v1::HostDigest> digest;
    std::string problem;
    std::uint64_t bytes = 0;
    std::uint64_t all_bytes = 0;
  };

  explicit State(Options asked) : options(std::move(asked)) {}

  // Call these with the mutex locked.
  void setUrls(const Result<std::vector<HttpUrl>>& urls);
  void take(Known& peer, Result<v1::HostDigest> digest, std::uint64_t bytes);
  void setProblem(Known& peer, std::string problem);
  Known* due(Clock::time_point now, Clock::time_point& next);

  const Options options;

  std::mutex mutex;
  std::condition_variable changed;
  bool is_stopping = false;
  bool is_listed = false;
  Clock::time_point list_due = Clock::now();
  std::string list_problem;
  // Keyed by address.
  std::map<std::string, Known> peers;
  std::vector<std::string> messages;
};

// Replaces the list of peers. A peer with a request in progress stays until it
// completes.
void Peers::State::setUrls(const Result<std::vector<HttpUrl>>& urls) {
  is_listed = false;
  list_due = Clock::now() + kListEvery;
  std::string problem = urls ? "" : urls.error().message;
  if (!problem.empty() && list_problem.empty()) {
    messages.push_back(
        absl::StrCat("--peers: ", problem, "; those that were known stay"));
  }
  list_problem = std::move(problem);
  if (!urls) return;
  std::set<std::string> now;
  for (const HttpUrl& url : *urls) {
    now.insert(url.authority());
    peers.try_emplace(url.authority()).first->second.url = url;
  }
  std::erase_if(peers, [&](const auto& each) {
    return !each.second.is_asked && !now.contains(each.first);
  });
}

void Peers::State::take(Known& peer, Result<v1::HostDigest> digest,
                        std::uint64_t bytes) {
  const auto now = Clock::now();
  peer.is_asked = false;
  peer.bytes = bytes;
  peer.all_bytes += bytes;
  if (!digest) {
    peer.due =
        now + failurePause(options.interval, kMaxPause, peer.failed_in_a_row++);
    setProblem(peer, digest.error().message);
    return;
  }
  const std::chrono::duration<double> share(
      static_cast<double>(bytes * peers.size()) / kMaxBytesPerSecond);
  peer.due =
      now +
      std::max(options.interval,
               std::chrono::duration_cast<std::chrono::nanoseconds>(share));
  // The same number of polls means that the other `serve` no longer polls.
  if (!peer.digest || peer.digest->looks() != digest->looks())
    peer.last_news = now;
  peer.is_self = digest->instance() == options.instance;
  if (peer.is_self) peer.due = now + kMaxPause;
  peer.digest =
      peer.is_self ? nullptr
                   : std::make_shared<const v1::HostDigest>(*std::move(digest));
  setProblem(peer, "");
  peer.failed_in_a_row = 0;
}

// Records a sentence when a problem starts or ends, not while it lasts.
void Peers::State::setProblem(Known& peer, std::string problem) {
  const std::string name = peer.url.authority();
  if (!problem.empty() && peer.problem.empty()) {
    messages.push_back(
        printable(absl::StrCat("--peers: ", name, ": ", problem)));
  } else if (problem.empty() && !peer.problem.empty()) {
    messages.push_back(absl::StrCat("--peers: ", name, " answers again"));
  }
  peer.problem = std::move(problem);
}

Peers::State::Known* Peers::State::due(Clock::time_point now,
                                       Clock::time_point& next) {
  for (auto& [address, peer] : peers) {
    if (peer.is_asked) continue;
    if (peer.due <= now) return &peer;
    next = std::min(next, peer.due);
  }
  return nullptr;
}

Peers::Peers(Options options)
    : state_(std::make_shared<State>(std::move(options))) {
  // Resolving a name may block forever, so the threads are detached.
  for (std::size_t i = 0; i < kThreads; ++i) {
    std::thread([state = state_] { run(state); }).detach();
  }
}

Peers::~Peers() {
  const std::lock_guard lock(state_->mutex);
  state_->is_stopping = true;
  state_->changed.notify_all();
}

void Peers::run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (!state->is_stopping) {
    const auto now = Clock::now();
    if (!state->is_listed && state->list_due <= now) {
      state->is_listed = true;
      lock.unlock();
      const auto urls = state->options.list.urls();
      lock.lock();
      state->setUrls(urls);
      state->changed.notify_all();
      continue;
    }
    Clock::time_point next =
        state->is_listed ? now + kListEvery : state->list_due;
    State::Known* peer = state->due(now, next);
    if (!peer) {
      state->changed.wait_until(lock, std::max(next, now + kMinPause));
      continue;
    }
    peer->is_asked = true;
    const HttpUrl url = peer->url;
    lock.unlock();
    std::uint64_t bytes = 0;
    Result<v1::HostDigest> digest = ask(url, state->options.token, bytes);
    lock.lock();
    // A peer is not removed while it is asked.
    state->take(*peer, std::move(digest), bytes);
  }
}

std::vector<Peer> Peers::all() const {
  const std::lock_guard lock(state_->mutex);
  const auto now = Clock::now();
  const auto fresh = std::max(kFresh, 5 * state_->options.interval);
  std::vector<Peer> all;
  std::set<std::uint64_t> instances;
  for (const auto& [address, known] : state_->peers) {
    if (known.is_self) continue;
    Peer& peer = all.emplace_back();
    peer.address = address;
    peer.problem = known.problem;
    peer.bytes = known.bytes;
    peer.all_bytes = known.all_bytes;
    const bool was_reported = known.last_news != Clock::time_point();
    peer.silent_s = std::chrono::duration<double>(
                        now - (was_reported ? known.last_news : known.since))
                        .count();
    // Two addresses of one `serve` count once.
    if (known.digest && now - known.last_news <= fresh &&
        instances.insert(known.digest->instance()).second) {
      peer.digest = known.digest;
    }
  }
  return all;
}

std::vector<std::string> Peers::takeMessages() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->messages, {});
}

void addPeerMetrics(const std::vector<Peer>& peers,
                    const WrittenDigest& own_digest, MetricFamilies& out) {
  for (const Peer& peer : peers) {
    const MetricLabels labels = {{"peer", peer.address}};
    out.gauge("traced_serve_peer_up", "Whether the peer's data is used", labels,
              peer.digest ? 1 : 0);
    out.gauge("traced_serve_peer_silent_seconds",
              "Time since the peer sent new data", labels, peer.silent_s);
    out.counter("traced_serve_peer_bytes", "Bytes received from the peer",
                labels, static_cast<double>(peer.all_bytes));
  }
  out.gauge("traced_serve_digest_bytes",
            "Bytes that this host sends to each peer", {},
            static_cast<double>(own_digest.bytes.size()));
  out.gauge("traced_serve_digest_left_out_groups",
            "Groups that did not fit into the digest", {},
            own_digest.left_out_groups);
}

}  // namespace traced
