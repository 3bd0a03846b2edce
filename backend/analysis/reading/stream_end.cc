#include "analysis/reading/stream_end.h"

#include <string_view>

#include "trace_io/chunk_decoder.h"

namespace traced {
namespace {

std::optional<StreamEnd> endOf(const TraceStream& stream,
                               StreamLoader& loader) {
  if (stream.chunks.empty()) return std::nullopt;
  const std::string_view body = loader.body(stream.chunks.back());
  ChunkDecoder decoder;
  if (body.empty() || decoder.parse(body) != DecodeStatus::kOk ||
      decoder.decodePacked() != DecodeStatus::kOk) {
    return std::nullopt;
  }
  const v1::Payload& payload = decoder.payload();
  if (!payload.has_anchor()) return std::nullopt;
  const v1::Accounts& accounts = payload.accounts();
  return StreamEnd{payload.anchor(), accounts.closed() || accounts.recovered(),
                   accounts.several_starts()};
}

}  // namespace

std::int64_t silenceNs(const TraceStream& stream, const StreamEnd& end) {
  constexpr std::int64_t kSilenceNs = 600'000'000'000;
  return end.is_last || stream.ring == RingState::kDead ? 0 : kSilenceNs;
}

const std::optional<StreamEnd>& StreamEnds::of(const TraceStream& stream) {
  const auto [place, is_new] = known_.try_emplace(&stream);
  if (is_new) place->second = endOf(stream, loader_);
  return place->second;
}

}  // namespace traced
