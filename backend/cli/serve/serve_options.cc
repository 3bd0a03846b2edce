#include "cli/serve/serve_options.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/serve/http/http_access.h"
#include "cli/serve/http/http_exchange.h"

namespace traced {
namespace {

constexpr absl::string_view kUnix = "unix:";
// Half the maximum size of a request's header.
constexpr std::size_t kMaxTokenBytes = 4096;

bool isLoopback(const std::string& address) {
  return absl::StartsWith(address, "127.") || address == "::1";
}

}  // namespace

void ServeOptions::declare(CLI::App& app) {
  app.add_option("INPUT", inputs,
                 "Only jobs with these traces, or with traces below these "
                 "directories (default: all jobs of this user)");
  app.add_option(
         "--listen", listen,
         "HOST:PORT, PORT or unix:PATH to listen on; port 0 picks a free port")
      ->capture_default_str();
  app.add_option("--token-file", token_file,
                 "A file with the token that clients must send; required to "
                 "listen on addresses that other hosts can reach");
  app.add_option("--textfile", textfile,
                 "Write traced.prom into this folder after each poll, for "
                 "node_exporter's textfile collector");
  app.add_option("--otlp", otlp,
                 "Send the metrics to an OpenTelemetry collector, such as "
                 "http://127.0.0.1:4318");
  app.add_option("--otlp-interval", otlp_interval_s,
                 "Seconds between two messages of --otlp")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_option("--peers", peers,
                 "Peers: `tracectl serve` on other hosts, as HOST[:PORT],..., "
                 "file:PATH or dns:NAME. Their jobs are reported too");
  app.add_flag("--no-http", no_http, "Do not serve HTTP");
  app.add_option("--interval", interval_s, "Seconds between two polls")
      ->check(CLI::Range(0.1, 60.0))
      ->capture_default_str();
  app.add_option("--waiting-after", waiting_s,
                 "Seconds after which a waiting rank is reported")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  app.add_option("--on-verdict", on_verdict,
                 "Run this command with each new verdict as JSON on its "
                 "standard input");
  app.add_flag("--once", once,
               "Poll the rings once, write the metrics and exit");
  app.footer("Example: tracectl serve traces/ --listen 9464");
}

Result<std::string> ServeOptions::token() const {
  if (token_file.empty()) return std::string();
  std::ifstream file(token_file);
  std::string line;
  std::getline(file, line);
  const std::string token(tokenIn(line));
  if (token.empty()) {
    return Error{absl::StrCat("--token-file: ", token_file,
                              " has no token in its first line")};
  }
  const bool is_text = std::none_of(token.begin(), token.end(), [](char c) {
    return absl::ascii_iscntrl(static_cast<unsigned char>(c));
  });
  if (!is_text || token.size() > kMaxTokenBytes) {
    return Error{absl::StrCat(
        "--token-file: the first line of ", token_file,
        " cannot be sent as a header: a token is ASCII text of at most ",
        kMaxTokenBytes, " bytes")};
  }
  return token;
}

// Accepts "HOST:PORT", "[::1]:PORT", "PORT" or "unix:PATH".
Result<HttpOptions> ServeOptions::http() const {
  HttpOptions http;
  Result<std::string> wanted = token();
  if (!wanted) return wanted.error();
  http.token = *std::move(wanted);
  if (absl::StartsWith(listen, kUnix)) {
    http.socket_path = listen.substr(kUnix.size());
    if (http.socket_path.empty()) {
      return Error{"--listen: unix: needs the path of a socket behind it"};
    }
    return http;
  }
  const std::size_t colon = listen.rfind(':');
  const std::string port =
      listen.substr(colon == std::string::npos ? 0 : colon + 1);
  if (colon != std::string::npos) {
    http.address = listen.substr(0, colon);
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
  if (!isLoopback(http.address) && http.token.empty()) {
    return Error{absl::StrCat(
        "--listen: ", http.address,
        " can be reached by other hosts: set a token with --token-file")};
  }
  return http;
}

Result<PeerList> ServeOptions::peerList() const {
  if (!canAskHttp()) {
    return Error{
        "--peers: this tracectl was built without Boost, so it cannot poll "
        "peers"};
  }
  if (once) {
    return Error{"--peers: does not work with --once, which polls only once"};
  }
  if (no_http) {
    return Error{
        "--peers: with --no-http this host would send the others "
        "nothing"};
  }
  Result<PeerList> list = PeerList::parse(peers);
  if (!list) return Error{absl::StrCat("--peers: ", list.error().message)};
  return list;
}

Result<HttpUrl> ServeOptions::otlpUrl() const {
  if (!canAskHttp()) {
    return Error{
        "--otlp: this tracectl was built without Boost and sends nothing"};
  }
  Result<HttpUrl> url = parseHttpUrl(otlp);
  if (!url) return Error{absl::StrCat("--otlp: ", url.error().message)};
  if (url->path.empty() || url->path == "/") url->path = "/v1/metrics";
  return url;
}

}  // namespace traced
