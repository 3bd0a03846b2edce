#include "cli/ctl/answers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/reading/stream_selection.h"
#include "ring_io/settings/options.h"
#include "ring_io/sinks/trace_parts.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_scanner.h"
#include "trace_io/rows.h"

namespace traced {
namespace {

// Bytes at the end of a stream that are read to check whether it has ended.
constexpr std::uint64_t kLatestBytes = std::uint64_t{128} << 10;

// Returns the path of the newest part; "" if the stream exists only in rings.
std::string newestPart(const TraceSet& set, const TraceStream& stream) {
  std::string newest;
  for (const ChunkRef& chunk : stream.chunks) {
    const TraceFile& file = set.files[chunk.file];
    if (file.from_rings) continue;
    if (newest.empty() || partNumberOf(newest) < partNumberOf(file.path)) {
      newest = file.path;
    }
  }
  return newest;
}

std::string settingIn(const v1::Header& header, const char* name) {
  const auto found = header.settings().find(name);
  return found == header.settings().end() ? "" : found->second;
}

// Returns the file that a rank polls for requests. A relative path in a trace
// refers to the process's directory, which is unknown here. Only the default
// location can be resolved.
Result<std::string> requestFile(const v1::Header& header,
                                const std::string& part) {
  Options usual;
  usual.directory = settingIn(header, "TRACED_DIR");
  usual.job = settingIn(header, "TRACED_JOB");
  const std::string trigger = settingIn(header, "TRACED_TRIGGER");
  if (trigger == usual.triggerPath()) {
    return (std::filesystem::absolute(part).parent_path() / "flush").string();
  }
  if (!trigger.empty() && trigger.front() == '/') return trigger;
  return Error{absl::StrCat(
      "rank ", header.rank(), " cannot be asked: ",
      trigger == Options::kNoTrigger || trigger.empty()
          ? "it polls no trigger file (TRACED_TRIGGER=0)"
          : absl::StrCat(
                "its TRACED_TRIGGER=", trigger,
                " is not an absolute path, so its location is unknown"))};
}

// Returns true if the rank would obey this user: ranks obey their own user and
// root.
bool mayBeAskedHere(const std::string& part) {
  struct stat status;
  return geteuid() == 0 || stat(part.c_str(), &status) != 0 ||
         status.st_uid == geteuid();
}

bool hasEnded(const StreamTable& table) {
  return table.closed || table.accounts.recovered() ||
         table.ring == RingState::kDead;
}

}  // namespace

Result<AskedRanks> ranksToAsk(
    TraceSet& set,
    const std::optional<absl::flat_hash_set<std::uint32_t>>& wanted) {
  keepLatest(set, kLatestBytes);
  AskedRanks asked;
  std::optional<Error> error;
  absl::flat_hash_set<std::uint32_t> seen;
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    const std::uint32_t rank = table.header.rank();
    if (error || table.snapshot || (wanted && !wanted->contains(rank))) return;
    seen.insert(rank);
    const std::string part = newestPart(set, set.streams[i]);
    if (hasEnded(table) || part.empty()) {
      asked.ended.push_back(rank);
      return;
    }
    if (!mayBeAskedHere(part)) {
      error = Error{absl::StrCat("rank ", rank,
                                 " is of another user, who alone can ask it")};
      return;
    }
    const auto file = requestFile(wholeHeader(set.streams[i]), part);
    if (!file) {
      error = file.error();
      return;
    }
    asked.files.insert(*file);
    asked.ranks.push_back({rank, table.header.stream_id(), part, {}});
  });
  if (error) return *error;
  for (const std::uint32_t rank :
       wanted.value_or(absl::flat_hash_set<std::uint32_t>())) {
    if (!seen.contains(rank)) {
      return Error{absl::StrCat("this run has no rank ", rank)};
    }
  }
  return asked;
}

namespace {

// Finds the mark of a request.
struct FindMark {
  void operator()(const MarkRow& row) {
    if (row.kind == v1::MARK_KIND_SETTINGS && row.value == request) found = row;
  }
  template <typename OtherRow>
  void operator()(const OtherRow&) {}

  std::uint64_t request = 0;
  std::optional<MarkRow> found{};
};

// Returns the file's size; 0 if it does not exist.
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

bool Answers::poll() {
  bool all = true;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].answer) continue;
    do read(i);
    while (!ranks_[i].answer && openNextPart(i));
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
  SourceTail end(**source, begin);
  ChunkScanner scanner(end);
  while (const auto chunk = scanner.next()) {
    // Data after the last complete chunk is read again by the next poll.
    read_[index] = begin + chunk->body_offset + chunk->body.size();
    if (decoder_.parse(chunk->body) == DecodeStatus::kOk &&
        decoder_.chunk().stream_id() == rank.stream_id &&
        decoder_.decode() == DecodeStatus::kOk) {
      if (auto answer = answerIn(decoder_.payload())) rank.answer = answer;
    }
  }
}

bool Answers::openNextPart(std::size_t index) {
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
