#include "analysis/digest/digest_source.h"

#include <algorithm>
#include <set>

#include "analysis/digest/digest_maker.h"
#include "analysis/reading/stream_loader.h"
#include "trace_io/chunk_decoder.h"

namespace traced {

DigestSource::DigestSource(const TraceSet& set) : set_(set) {
  addLooks();
  makeOthers();
}

void DigestSource::addLooks() {
  std::set<std::uint64_t> named;
  for (const std::size_t i : set_.selected) {
    const TraceStream& stream = set_.streams[i];
    if (stream.isDigested()) named.insert(stream.digest->look);
  }
  for (const std::uint64_t hash : named) {
    const auto known = std::find_if(
        set_.looks.begin(), set_.looks.end(),
        [hash](const DigestLookRef& look) { return look.hash == hash; });
    // One that is lost is like one that says nothing.
    looks_.push_back(known == set_.looks.end() ? v1::DigestLook()
                                               : known->look);
  }
}

void DigestSource::makeOthers() {
  TraceSet others = set_;
  std::erase_if(others.selected,
                [this](std::size_t i) { return set_.streams[i].isDigested(); });
  if (others.selected.empty()) return;
  DigestMaker maker(others, "");
  looks_.push_back(maker.look());
  maker.make([this](std::size_t i, const v1::Payload& payload) {
    made_[i] = payload.SerializeAsString();
  });
}

std::size_t DigestSource::forEach(const VisitDigest& visit) const {
  StreamLoader loader(set_);
  ChunkDecoder decoder;
  std::size_t unreadable = 0;
  for (const std::size_t i : set_.selected) {
    const auto made = made_.find(i);
    if (made != made_.end()) {
      v1::Payload payload;
      payload.ParseFromString(made->second);
      visit(i, payload);
      continue;
    }
    const std::string_view body = loader.body(set_.streams[i].digest->chunk);
    if (!body.empty() && decoder.parse(body) == DecodeStatus::kOk &&
        decoder.decode() == DecodeStatus::kOk) {
      // As it was settled for all (settle_attempts.h).
      decoder.payload().mutable_header()->set_attempt(
          set_.streams[i].header.attempt());
      visit(i, decoder.payload());
    } else {
      ++unreadable;
    }
  }
  return unreadable;
}

}  // namespace traced
