#include "cli/serve/peers/peer_list.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr char kFile[] = "file:";
constexpr char kName[] = "dns:";
constexpr char kDigest[] = "/digest";

// Parses "node7", "node7:9464" or "[::1]:9464".
Result<HttpUrl> urlOf(const std::string& text) {
  Result<HttpUrl> url =
      parseHttpUrl(absl::StrCat("http://", text), PeerList::kPort);
  if (!url || !url->path.empty()) {
    return Error{
        absl::StrCat(printable(text), " is no peer: a host, or HOST:PORT")};
  }
  url->path = kDigest;
  return url;
}

// Parses a list of peers. Each character of `separators` separates peers.
Result<std::vector<HttpUrl>> urlsIn(const std::string& text,
                                    const char* separators) {
  std::vector<HttpUrl> urls;
  for (absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(separators))) {
    word = absl::StripAsciiWhitespace(word.substr(0, word.find('#')));
    if (word.empty()) continue;
    const Result<HttpUrl> url = urlOf(std::string(word));
    if (!url) return url.error();
    if (urls.size() == PeerList::kMaxPeers) {
      return Error{absl::StrCat("more than ", PeerList::kMaxPeers, " peers")};
    }
    urls.push_back(*url);
  }
  return urls;
}

}  // namespace

Result<PeerList> PeerList::parse(const std::string& text) {
  PeerList list;
  if (absl::StartsWith(text, kFile)) {
    list.kind_ = Kind::kFile;
    list.path_ = text.substr(sizeof kFile - 1);
  } else if (absl::StartsWith(text, kName)) {
    const Result<HttpUrl> name = urlOf(text.substr(sizeof kName - 1));
    if (!name) return name.error();
    list.kind_ = Kind::kName;
    list.name_ = *name;
    return list;
  }
  Result<std::vector<HttpUrl>> urls =
      list.isFixed() ? urlsIn(text, ",") : list.readFile();
  if (!urls) return urls.error();
  if (urls->empty() && list.isFixed()) return Error{"it names no peer"};
  list.fixed_ = *std::move(urls);
  return list;
}

Result<std::vector<HttpUrl>> PeerList::urls() const {
  if (kind_ == Kind::kFile) return readFile();
  if (kind_ == Kind::kName) return find();
  return fixed_;
}

Result<std::vector<HttpUrl>> PeerList::readFile() const {
  // Allows 256 bytes for each peer.
  std::string text(256 * kMaxPeers, '\0');
  std::ifstream file(path_);
  if (!file) {
    return Error{absl::StrCat(printable(path_),
                              " cannot be read: ", std::strerror(errno))};
  }
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.peek() != std::ifstream::traits_type::eof()) {
    return Error{absl::StrCat(printable(path_), " is longer than a list of ",
                              kMaxPeers, " peers")};
  }
  Result<std::vector<HttpUrl>> urls = urlsIn(text, "\n,");
  if (!urls) {
    return Error{absl::StrCat(printable(path_), ": ", urls.error().message)};
  }
  return urls;
}

Result<std::vector<HttpUrl>> PeerList::find() const {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(name_.host.c_str(), nullptr, &wanted, &found);
  if (failed != 0) {
    return Error{absl::StrCat(name_.host, ": ", gai_strerror(failed))};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found,
                                                               &freeaddrinfo);
  std::vector<HttpUrl> urls;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    char address[NI_MAXHOST];
    if (getnameinfo(each->ai_addr, each->ai_addrlen, address, sizeof address,
                    nullptr, 0, NI_NUMERICHOST) == 0 &&
        urls.size() < kMaxPeers) {
      urls.push_back({address, name_.port, kDigest});
    }
  }
  return urls;
}

}  // namespace traced
