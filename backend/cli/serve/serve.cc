#include "cli/serve/serve.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "analysis/merge/pending_file.h"
#include "cli/serve/http_service.h"
#include "cli/serve/live_findings.h"
#include "cli/serve/live_metrics.h"
#include "cli/serve/live_page.h"
#include "cli/serve/told_findings.h"
#include "cli/serve/watched_jobs.h"

namespace traced {
namespace {

using std::chrono::steady_clock;

constexpr char kMetricsType[] =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
// A look that has much to read is followed by another one that much sooner.
constexpr int kSooner = 4;

volatile std::sig_atomic_t asked_to_stop = 0;

void stopOnSignal() {
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_stop = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

struct ServeOptions {
  std::vector<std::string> inputs;
  std::string listen = "127.0.0.1:9464";
  std::string token_file;
  std::string textfile;
  std::string on_verdict;
  double interval_s = 1;
  double waiting_s = 30;
  bool once = false;
  bool no_http = false;
};

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

bool isLoopback(const std::string& address) {
  return absl::StartsWith(address, "127.") || address == "::1";
}

// "HOST:PORT", "[::1]:PORT" or "PORT".
Result<HttpOptions> httpOptions(const ServeOptions& options) {
  HttpOptions http;
  const std::size_t colon = options.listen.rfind(':');
  const std::string port =
      options.listen.substr(colon == std::string::npos ? 0 : colon + 1);
  if (colon != std::string::npos) {
    http.address = options.listen.substr(0, colon);
    if (absl::StartsWith(http.address, "[")) {
      http.address = http.address.substr(1, http.address.size() - 2);
    }
  }
  if (http.address == "localhost") http.address = "127.0.0.1";
  std::uint32_t number = 0;
  if (!absl::SimpleAtoi(port, &number) || number > 65535) {
    return Error{absl::StrCat("--listen: ", port, " is no port: 0 to 65535")};
  }
  http.port = static_cast<std::uint16_t>(number);
  if (!options.token_file.empty()) {
    std::ifstream file(options.token_file);
    std::getline(file, http.token);
    if (http.token.empty()) {
      return Error{absl::StrCat("--token-file: ", options.token_file,
                                " has no token in its first line")};
    }
  }
  if (!isLoopback(http.address) && http.token.empty()) {
    return Error{absl::StrCat("--listen: ", http.address,
                              " can be reached by others: give a token that "
                              "they must have, with --token-file")};
  }
  return http;
}

class Serve : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    app.add_option("INPUT", options_.inputs,
                   "Only jobs whose traces are these, or below these "
                   "directories (all of this user)");
    app.add_option("--listen", options_.listen,
                   "HOST:PORT or PORT to answer at; port 0 is any that is free")
        ->capture_default_str();
    app.add_option("--token-file", options_.token_file,
                   "A file with a token that who asks must give; needed to "
                   "answer at addresses that others can reach");
    app.add_option("--textfile", options_.textfile,
                   "Write traced.prom into this folder after each look, for "
                   "node_exporter's textfile collector");
    app.add_flag("--no-http", options_.no_http, "Answer no requests");
    app.add_option("--interval", options_.interval_s,
                   "Seconds between two looks")
        ->check(CLI::Range(0.1, 60.0))
        ->capture_default_str();
    app.add_option("--waiting-after", options_.waiting_s,
                   "Tell who waits for whom after so many seconds")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    app.add_option("--on-verdict", options_.on_verdict,
                   "Run this command with each new verdict as JSON on its "
                   "standard input");
    app.add_flag("--once", options_.once,
                 "Look once, at what rings hold by now, write the metrics and "
                 "end");
    app.footer("Example: tracectl serve traces/ --listen 9464");
  }

  ExitCode run() override {
    WatchedJobs watched(options_.inputs);
    if (options_.once) return lookOnce(watched);
    stopOnSignal();
    HttpOptions http;
    std::unique_ptr<HttpService> service;
    if (!options_.no_http) {
      const Result<HttpOptions> asked = httpOptions(options_);
      if (!asked) return refuse(asked.error());
      http = *asked;
      auto started = HttpService::start(http);
      if (!started) return refuse(started.error());
      service = *std::move(started);
    }
    auto began = steady_clock::now();
    look(watched, service.get());
    // There is an answer before anybody knows where to ask.
    if (service) {
      std::cerr << "tracectl: http://" << http.address << ":" << service->port()
                << "/metrics\n";
    }
    for (;;) {
      const auto pause = duration(options_.interval_s);
      waitUntil(began + (watched.isFast() ? pause / kSooner : pause));
      if (asked_to_stop) break;
      began = steady_clock::now();
      look(watched, service.get());
    }
    return ExitCode::kFine;
  }

 private:
  static ExitCode refuse(const Error& error) {
    std::cerr << "tracectl: " << error.message << "\n";
    return ExitCode::kUsage;
  }

  ExitCode lookOnce(WatchedJobs& watched) {
    watched.look();
    tellWarnings(watched);
    const std::string metrics =
        metricsText(watched, duration(options_.interval_s));
    if (!options_.textfile.empty()) {
      return write(metrics) ? ExitCode::kFine : ExitCode::kInternal;
    }
    std::cout << metrics << std::flush;
    return ExitCode::kFine;
  }

  // Or until it is to stop.
  static void waitUntil(steady_clock::time_point end) {
    constexpr std::chrono::milliseconds kStep{200};
    while (!asked_to_stop && steady_clock::now() < end) {
      std::this_thread::sleep_until(std::min(end, steady_clock::now() + kStep));
    }
  }

  void look(WatchedJobs& watched, HttpService* service) {
    watched.look();
    tellWarnings(watched);
    const auto findings = findingsOf(watched, duration(options_.waiting_s));
    if (!options_.textfile.empty() || service) {
      std::string metrics = metricsText(watched, duration(options_.interval_s));
      if (!options_.textfile.empty()) write(metrics);
      if (service) {
        service->answer("/metrics", {kMetricsType, std::move(metrics)});
      }
    }
    if (service) answer(*service, watched, findings);
    // Behind the answers: who is told of a verdict and asks finds it there.
    told_.look(findings, options_.on_verdict);
  }

  void answer(HttpService& service, const WatchedJobs& watched,
              const std::vector<LiveFinding>& findings) {
    Json verdicts = Json::array();
    for (const LiveFinding& finding : findings) {
      verdicts.push_back(finding.json);
    }
    service.answer(
        "/verdicts",
        {"application/json", jsonText({{"schema", kJsonSchema},
                                       {"warnings", Json::array()},
                                       {"verdicts", std::move(verdicts)}})});
    service.answer("/", {"text/html; charset=utf-8",
                         livePage(watched, findings, options_.interval_s)});
  }

  // A folder that is full now may have room later: that is said once.
  bool write(const std::string& metrics) {
    PendingFile file(absl::StrCat(options_.textfile, "/traced.prom"),
                     Existing::kReplaced);
    file.stream() << metrics;
    if (file.ok() && file.commit()) return true;
    if (!std::exchange(write_failed_, true)) {
      std::cerr << "tracectl: --textfile: " << file.problem() << "\n";
    }
    return false;
  }

  static void tellWarnings(WatchedJobs& watched) {
    for (const std::string& warning : watched.takeWarnings()) {
      std::cerr << "warning: " << warning << "\n";
    }
  }

  ServeOptions options_;
  ToldFindings told_;
  bool write_failed_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeServe() { return std::make_unique<Serve>(); }

}  // namespace traced
