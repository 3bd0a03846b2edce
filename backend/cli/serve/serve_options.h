// Command-line options of `tracectl serve`.

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/serve/http/http_exchange.h"
#include "cli/serve/http/http_service.h"
#include "cli/serve/peers/peer_list.h"

namespace traced {

struct ServeOptions {
  // Declares the options.
  void declare(CLI::App& app);
  // Return the parsed addresses: where to listen, where to send metrics, and
  // which hosts to ask. An Error explains an unusable option.
  Result<HttpOptions> http() const;
  Result<HttpUrl> otlpUrl() const;
  Result<PeerList> peerList() const;

  std::vector<std::string> inputs;
  std::string listen = "127.0.0.1:9464";
  std::string token_file;
  std::string textfile;
  std::string otlp;
  std::string peers;
  std::string on_verdict;
  double interval_s = 1;
  double otlp_interval_s = 15;
  double waiting_s = 30;
  bool once = false;
  bool no_http = false;

 private:
  // Returns the token that requests must carry, or "" if none is required.
  Result<std::string> token() const;
};

}  // namespace traced
