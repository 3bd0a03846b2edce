// Where the `serve` of other hosts are found, and what is known of them.

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

  // "node7,node8:9465", "file:PATH" with one of these in each line, or
  // "dns:NAME[:PORT]" for all addresses that a name has. An Error says what is
  // wrong with it.
  static Result<PeerList> parse(const std::string& text);

  // Those of now: a file is read anew, and a name looked up, which may take as
  // long as it does. An Error says why they are not known.
  Result<std::vector<HttpUrl>> places() const;
  // Whether they never change.
  bool isFixed() const { return kind_ == Kind::kFixed; }

 private:
  enum class Kind { kFixed, kFile, kName };

  Result<std::vector<HttpUrl>> readFile() const;
  Result<std::vector<HttpUrl>> find() const;

  Kind kind_ = Kind::kFixed;
  std::vector<HttpUrl> fixed_;
  std::string path_;
  HttpUrl name_;
};

// What is known of another host's `serve`.
struct Peer {
  // "node7:9464": where it is asked.
  std::string address;
  // What it told last; nullptr: nothing, or so long ago that it counts no more.
  std::shared_ptr<const v1::HostDigest> digest;
  // Since it last answered, or since it is known of.
  double silent_s = 0;
  // Why it does not answer; "": it does.
  std::string problem;
  // Of its last answer, and of all.
  std::uint64_t bytes = 0;
  std::uint64_t all_bytes = 0;
};

}  // namespace traced
