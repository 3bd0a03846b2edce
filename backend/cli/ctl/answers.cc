#include "cli/ctl/answers.h"

#include <filesystem>
#include <utility>

#include "ring_io/sinks/trace_parts.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_scanner.h"
#include "trace_io/rows.h"

namespace traced {
namespace {

// Takes the mark of a request.
struct FindMark {
  void operator()(const MarkRow& row) {
    if (row.kind == v1::MARK_KIND_SETTINGS && row.value == request) found = row;
  }
  template <typename OtherRow>
  void operator()(const OtherRow&) {}

  std::uint64_t request = 0;
  std::optional<MarkRow> found{};
};

// 0: it is not there.
std::uint64_t bytesOf(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

}  // namespace

Answers::Answers(std::vector<AskedRank> asked, std::uint64_t request)
    : ranks_(std::move(asked)), request_(request) {
  for (const AskedRank& rank : ranks_) read_.push_back(bytesOf(rank.part));
}

bool Answers::look() {
  bool all = true;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].answer) continue;
    do read(i);
    while (!ranks_[i].answer && goOn(i));
    all = all && ranks_[i].answer;
  }
  return all;
}

void Answers::read(std::size_t index) {
  AskedRank& rank = ranks_[index];
  if (bytesOf(rank.part) <= read_[index]) return;
  const auto source = FileSource::open(rank.part);
  if (!source) return;
  const std::uint64_t begin = read_[index];
  SourceEnd end(**source, begin);
  ChunkScanner scanner(end);
  while (const auto chunk = scanner.next()) {
    // What comes behind the last whole chunk is read once more.
    read_[index] = begin + chunk->body_offset + chunk->body.size();
    if (decoder_.parse(chunk->body) == DecodeStatus::kOk &&
        decoder_.chunk().stream_id() == rank.stream_id &&
        decoder_.decode() == DecodeStatus::kOk) {
      if (auto answer = answerIn(decoder_.payload())) rank.answer = answer;
    }
  }
}

bool Answers::goOn(std::size_t index) {
  std::string& part = ranks_[index].part;
  const std::string stem = stemOf(part0Of(part));
  const std::string next = partPath(stem, partNumberOf(part) + 1);
  if (bytesOf(next) == 0) return false;
  part = next;
  read_[index] = 0;
  return true;
}

std::optional<ControlAnswer> Answers::answerIn(
    const v1::Payload& payload) const {
  if (!columnsAgree(payload)) return std::nullopt;
  FindMark find{request_};
  forEachRow(payload, find);
  if (!find.found) return std::nullopt;
  for (const v1::Text& text : payload.text()) {
    if (text.id() == find.found->text) {
      return ControlAnswer::fromText(text.text());
    }
  }
  return ControlAnswer();
}

}  // namespace traced
