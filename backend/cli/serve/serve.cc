#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <iostream>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "cli/common/subcommand.h"
#include "cli/serve/hosts/digest_bounds.h"
#include "cli/serve/hosts/hosts.h"
#include "cli/serve/http/http_service.h"
#include "cli/serve/live_findings.h"
#include "cli/serve/live_metrics.h"
#include "cli/serve/message_log.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/otlp/otlp_message.h"
#include "cli/serve/otlp/otlp_sender.h"
#include "cli/serve/peers/peers.h"
#include "cli/serve/serve_options.h"
#include "cli/serve/textfile.h"
#include "cli/serve/verdict_commands.h"
#include "cli/serve/watched_jobs.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using std::chrono::steady_clock;

constexpr char kMetricsType[] =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
// After a poll with much data, the next one is earlier by this factor.
constexpr int kSooner = 4;
constexpr std::chrono::seconds kMaxFinish{1};

volatile std::sig_atomic_t asked_to_stop = 0;

void stopOnSignal() {
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_stop = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::uint64_t randomNumber() {
  std::random_device random;
  return std::uniform_int_distribution<std::uint64_t>()(random);
}

class Serve : public Subcommand {
 public:
  void declare(CLI::App& app) override { options_.declare(app); }

  ExitCode run() override {
    if (auto error = start()) {
      std::cerr << "tracectl: " << error->message << "\n";
      return ExitCode::kUsage;
    }
    const ExitCode code = watch();
    finish();
    return code;
  }

 private:
  ExitCode watch() {
    WatchedJobs watched(options_.inputs);
    Hosts hosts({hostName(), instance_, duration(options_.waiting_s)});
    if (options_.once) return pollOnce(watched, hosts);
    stopOnSignal();
    auto began = steady_clock::now();
    poll(watched, hosts);
    // Publish the first answers before printing the address.
    if (service_) {
      // A reader waits for this line. Write pending warnings first, so that
      // they cannot displace it.
      log_.finish(kMaxFinish);
      report(listenText());
    }
    for (;;) {
      const auto pause = duration(options_.interval_s);
      waitUntil(began + (watched.isFast() ? pause / kSooner : pause));
      if (asked_to_stop) break;
      began = steady_clock::now();
      poll(watched, hosts);
    }
    return ExitCode::kFine;
  }

  // Waits for pending output, at most kMaxFinish each. Abandons whatever still
  // blocks.
  void finish() {
    if (textfile_) {
      textfile_->finish(kMaxFinish);
      reportTextfile();
    }
    commands_.reset();
    log_.finish(kMaxFinish);
  }

  void report(const std::string& message) {
    log_.write(absl::StrCat("tracectl: ", message));
  }

  void reportTextfile() {
    for (const std::string& message : textfile_->takeMessages())
      report(message);
  }

  std::optional<Error> start() {
    if (!options_.otlp.empty()) {
      const Result<HttpUrl> url = options_.otlpUrl();
      if (!url) return url.error();
      otlp_url_ = *url;
    }
    if (options_.once) {
      return options_.peers.empty() ? std::nullopt : startPeers();
    }
    if (!options_.on_verdict.empty()) {
      commands_ = std::make_unique<VerdictCommands>(options_.on_verdict, log_);
    }
    if (!options_.textfile.empty()) {
      textfile_ = std::make_unique<Textfile>(textfileIn(options_.textfile));
    }
    if (!options_.no_http) {
      const Result<HttpOptions> http = options_.http();
      if (!http) return http.error();
      auto started = HttpService::start(*http);
      if (!started) return started.error();
      http_ = *http;
      service_ = *std::move(started);
    }
    if (!options_.otlp.empty()) {
      otlp_ = std::make_unique<OtlpSender>(otlp_url_,
                                           duration(options_.otlp_interval_s));
    }
    return options_.peers.empty() ? std::nullopt : startPeers();
  }

  std::optional<Error> startPeers() {
    const Result<PeerList> list = options_.peerList();
    if (!list) return list.error();
    peers_ = std::make_unique<Peers>(Peers::Options{
        *list, http_.token, duration(options_.interval_s), instance_});
    return std::nullopt;
  }

  // Returns the address of the metrics.
  std::string listenText() const {
    if (!http_.socket_path.empty()) {
      return printable(absl::StrCat("unix:", http_.socket_path));
    }
    const HttpUrl url{http_.address, service_->port(), ""};
    return absl::StrCat("http://", url.authority(), "/metrics");
  }

  // Blocks until `end` or until the user asks `serve` to stop.
  void waitUntil(steady_clock::time_point end) {
    constexpr std::chrono::milliseconds kStep{200};
    while (!asked_to_stop && steady_clock::now() < end) {
      if (commands_) commands_->poll();
      std::this_thread::sleep_until(std::min(end, steady_clock::now() + kStep));
    }
  }

  void poll(WatchedJobs& watched, Hosts& hosts) {
    watched.refresh();
    hosts.refresh(watched, peers_ ? peers_->all() : std::vector<Peer>());
    reportWarnings(watched);
    const auto findings = findingsOf(hosts.jobs());
    const WrittenDigest own_digest =
        peers_ ? writeDigest(hosts.digest()) : WrittenDigest();
    if (!options_.textfile.empty() || service_ || otlp_) {
      MetricFamilies metrics =
          metricsOf(watched, hosts, duration(options_.interval_s));
      metrics.counter("traced_serve_dropped_messages",
                      "Lines that could not be written to stderr", {},
                      static_cast<double>(log_.dropped()));
      if (peers_) addPeerMetrics(hosts.peers(), own_digest, metrics);
      publishMetrics(std::move(metrics));
    }
    if (service_) answer(hosts, findings);
    if (peers_) answerPeers(hosts, own_digest);
    if (peers_) reportPeers();
    // Publish first, then notify: a notified client must find the verdict.
    notifier_.report(findings, log_, commands_.get());
  }

  void publishMetrics(MetricFamilies metrics) {
    if (otlp_) {
      otlp_->addCounts(metrics);
      if (otlp_->isDue()) otlp_->send(messageOf(metrics));
      for (const std::string& message : otlp_->takeMessages()) report(message);
    }
    if (!textfile_ && !service_) return;
    std::string text = openMetricsText(metrics);
    if (textfile_) {
      textfile_->put(text);
      reportTextfile();
    }
    if (service_) {
      service_->answer("/metrics", {kMetricsType, std::move(text)});
    }
  }

  static std::string messageOf(const MetricFamilies& metrics) {
    return otlpMessage(metrics, hostName(), readClock(CLOCK_REALTIME));
  }

  void answer(const Hosts& hosts, const std::vector<LiveFinding>& findings) {
    service_->answer("/verdicts", {"application/json",
                                   jsonText(verdictsJson(hosts, findings))});
    service_->answer("/", {"text/html; charset=utf-8",
                           livePage(hosts, findings, options_.interval_s)});
  }

  // Publishes what peers request. Peers require a service.
  void answerPeers(const Hosts& hosts, const WrittenDigest& own_digest) {
    service_->answer("/hosts/metrics",
                     {kMetricsType, openMetricsText(hostsMetricsOf(hosts))});
    service_->answer("/digest", {"application/x-protobuf", own_digest.bytes});
  }

  void reportPeers() {
    for (const std::string& message : peers_->takeMessages()) report(message);
  }

  ExitCode pollOnce(WatchedJobs& watched, Hosts& hosts) {
    watched.refresh();
    hosts.refresh(watched, {});
    reportWarnings(watched);
    const MetricFamilies metrics =
        metricsOf(watched, hosts, duration(options_.interval_s));
    bool is_worth_reporting = true;
    if (!options_.textfile.empty()) is_worth_reporting = writeOnce(metrics);
    if (!options_.otlp.empty())
      is_worth_reporting &= sendOnce(messageOf(metrics));
    if (options_.textfile.empty() && options_.otlp.empty()) {
      std::cout << openMetricsText(metrics) << std::flush;
    }
    return is_worth_reporting ? ExitCode::kFine : ExitCode::kInternal;
  }

  bool sendOnce(std::string message) {
    const OtlpAnswer answer = sendOtlp(otlp_url_, std::move(message));
    if (!answer.problem.empty()) {
      report(absl::StrCat("--otlp: ", answer.problem));
    }
    return answer.is_taken && answer.refused_points == 0;
  }

  bool writeOnce(const MetricFamilies& metrics) {
    const std::string problem =
        textfileIn(options_.textfile)(openMetricsText(metrics));
    if (!problem.empty()) report(problem);
    return problem.empty();
  }

  void reportWarnings(WatchedJobs& watched) {
    for (const std::string& warning : watched.takeWarnings()) {
      log_.write(absl::StrCat("warning: ", warning));
    }
  }

  ServeOptions options_;
  HttpOptions http_;
  HttpUrl otlp_url_;
  std::unique_ptr<HttpService> service_;
  std::unique_ptr<OtlpSender> otlp_;
  const std::uint64_t instance_ = randomNumber();
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<Textfile> textfile_;
  MessageLog log_;
  std::unique_ptr<VerdictCommands> commands_;
  FindingNotifier notifier_;
};

}  // namespace

std::unique_ptr<Subcommand> makeServe() { return std::make_unique<Serve>(); }

}  // namespace traced
