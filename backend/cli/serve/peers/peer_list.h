// The addresses of `serve` on other hosts, and their state.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/serve/http/http_exchange.h"

namespace traced {

namespace v1 {
class HostDigest;
}

class PeerList {
 public:
  static constexpr std::uint16_t kPort = 9464;
  static constexpr std::size_t kMaxPeers = 4096;

  // Parses "node7,node8:9465", "file:PATH" with such entries, or
  // "dns:NAME[:PORT]" for all addresses of a name. An Error explains what is
  // wrong with the text.
  static Result<PeerList> parse(const std::string& text);

  // Returns the current addresses. Reads the file or resolves the name each
  // time, and may block on it. An Error explains why they are unknown.
  Result<std::vector<HttpUrl>> urls() const;
  // Returns whether the addresses never change.
  bool isFixed() const { return kind_ == Kind::kFixed; }

 private:
  enum class Kind { kFixed, kFile, kName };

  // Reads the peers from the file.
  Result<std::vector<HttpUrl>> readFile() const;
  // Resolves the name. Blocks until the resolver answers.
  Result<std::vector<HttpUrl>> find() const;

  Kind kind_ = Kind::kFixed;
  std::vector<HttpUrl> fixed_;
  std::string path_;
  HttpUrl name_;
};

// The state of `serve` on another host.
struct Peer {
  // The address that requests are sent to, such as "node7:9464".
  std::string address;
  // The latest digest. nullptr if none was received or if the latest is too
  // old.
  std::shared_ptr<const v1::HostDigest> digest;
  // Seconds since the last response, or since the peer became known.
  double silent_s = 0;
  // The reason why it does not answer; "" if it does.
  std::string problem;
  // Size of the latest response, and of all responses together.
  std::uint64_t bytes = 0;
  std::uint64_t all_bytes = 0;
};

}  // namespace traced
