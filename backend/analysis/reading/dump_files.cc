#include "analysis/reading/dump_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/flight_recorder/dump.h"
#include "analysis/flight_recorder/dump_table.h"
#include "trace_io/byte_source.h"

namespace traced {
namespace {

// Returns a stream id derived from the content, for dumps without an id.
std::uint64_t streamIdOf(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  }
  return hash == 0 ? 1 : hash;
}

std::optional<std::uint32_t> numberAt(absl::string_view text,
                                      std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
  std::uint32_t number = 0;
  if (!absl::SimpleAtoi(text.substr(begin, end - begin), &number)) {
    return std::nullopt;
  }
  return number;
}

std::string fileName(const std::string& path) {
  return absl::AsciiStrToLower(std::filesystem::path(path).filename().string());
}

// Returns the number after the last "rank".
std::optional<std::uint32_t> numberAfterRank(const std::string& name) {
  constexpr absl::string_view kWord = "rank";
  const std::size_t word = name.rfind(kWord.data());
  if (word == std::string::npos) return std::nullopt;
  const std::size_t digits =
      name.find_first_not_of("_-=.", word + kWord.size());
  if (digits == std::string::npos || !absl::ascii_isdigit(name[digits])) {
    return std::nullopt;
  }
  return numberAt(name, digits);
}

struct DumpRank {
  std::uint32_t rank = 0;
  bool is_from_name = false;
  // Whether the source names the rank, and so probably that of the whole job.
  bool is_named = false;
};

std::optional<DumpRank> rankOf(const Dump& dump, const std::string& path) {
  const auto named = numberAfterRank(fileName(path));
  if (dump.rank() && dump.isRankGiven()) return {{*dump.rank(), false, true}};
  if (dump.rank()) {
    // Messages show the rank within a replica group.
    if (named && dump.isReplicaOf(*named)) return {{*named, true, true}};
    return {{*dump.rank(), false, false}};
  }
  if (named) return {{*named, true, true}};
  if (const auto any = rankInFileName(path)) return {{*any, true, false}};
  return std::nullopt;
}

// Moves the groups of a replica group to the ranks of the whole job. Returns
// whether there were any.
bool move(Dump& dump, const DumpRank& rank) {
  return rank.is_named && dump.moveToReplica(rank.rank) > 0;
}

}  // namespace

std::optional<std::uint32_t> rankInFileName(const std::string& path) {
  const std::string name = fileName(path);
  if (const auto number = numberAfterRank(name)) return number;
  constexpr char kDigits[] = "0123456789";
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of(kDigits, last);
  return numberAt(name, before == std::string::npos ? 0 : before + 1);
}

Result<StreamTable> loadDump(const std::string& path,
                             const v1::Header& header) {
  const Error changed{absl::StrCat(path, ": changed while it was read")};
  const auto source = FileSource::open(path);
  if (!source) return changed;
  const std::string_view bytes = (*source)->read(0, (*source)->size());
  if (streamIdOf(bytes) != header.stream_id()) return changed;
  auto dump = Dump::parse(bytes);
  if (!dump || !*dump) return changed;
  const auto rank = rankOf(**dump, path);
  if (!rank || rank->rank != header.rank()) return changed;
  move(**dump, *rank);
  return tableOfDump(**dump, header);
}

DumpFiles::Kind DumpFiles::add(const std::string& path, std::uint64_t bytes) {
  constexpr std::size_t kBeginning = 256;
  const auto source = FileSource::open(path);
  if (!source || !Dump::maybe((*source)->read(0, kBeginning))) {
    return Kind::kOther;
  }
  const auto refuse = [&](const std::string& why) {
    warnings_.push_back(absl::StrCat(path, ": ", why));
    return Kind::kRefused;
  };
  if (bytes > Dump::kMaxBytes) return refuse("larger than any dump");
  const std::string_view content = (*source)->read(0, bytes);
  auto parsed = Dump::parse(content);
  if (!parsed) return refuse(parsed.error().message);
  if (!*parsed) return Kind::kOther;
  Dump& dump = **parsed;

  const auto rank = rankOf(dump, path);
  if (!rank) {
    return refuse(
        "a Flight Recorder dump without a rank in it or in its file name: put "
        "the rank at the end of the file name");
  }
  const bool was_moved = move(dump, *rank);
  Found found{
      path,      bytes, std::string(dump.version()), 0, rank->is_from_name,
      was_moved, {}};
  found.header = headerOfDump(dump, rank->rank, streamIdOf(content));
  for (std::size_t i = 0; i < dump.entryCount(); ++i) {
    const DumpEntry entry = dump.entry(i);
    found.last_ns = std::max({found.last_ns, entry.created_ns.value_or(0),
                              entry.completed_ns.value_or(0)});
  }
  if (dump.isNewer()) {
    warnings_.push_back(absl::StrCat(
        path, ": a Flight Recorder dump of version ", found.version,
        ", newer than 2.10: what is new is not "
        "read"));
  }
  found_.push_back(std::move(found));
  return Kind::kDump;
}

void DumpFiles::append(DumpFiles later) {
  std::move(later.found_.begin(), later.found_.end(),
            std::back_inserter(found_));
  std::move(later.warnings_.begin(), later.warnings_.end(),
            std::back_inserter(warnings_));
}

void DumpFiles::addTo(TraceSet& set) && {
  std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
    return std::tuple(a.header.rank(), b.last_ns, a.path) <
           std::tuple(b.header.rank(), a.last_ns, b.path);
  });
  set.input_warnings.insert(set.input_warnings.end(), warnings_.begin(),
                            warnings_.end());
  leaveOutOlder(set);
  agreeOnWorldSize();
  addNotes(set);
  for (Found& found : found_) {
    TraceStream& stream = set.streams.emplace_back();
    stream.header = std::move(found.header);
    stream.dump_file = static_cast<std::uint32_t>(set.files.size());
    set.files.push_back({std::move(found.path), found.bytes, 0, 0});
  }
}

// `found_` must be sorted by rank, newest first.
void DumpFiles::leaveOutOlder(TraceSet& set) {
  const auto same_rank = [](const Found& a, const Found& b) {
    return a.header.rank() == b.header.rank();
  };
  const auto kept = std::unique(found_.begin(), found_.end(), same_rank);
  const auto count = static_cast<std::size_t>(found_.end() - kept);
  found_.erase(kept, found_.end());
  if (count == 0) return;
  set.selection_warnings.push_back(
      absl::StrCat("left out ", count, count == 1 ? " dump" : " dumps",
                   " of ranks that have a newer one, or the same twice"));
}

// A dump contains the world size only if its default group was used.
void DumpFiles::agreeOnWorldSize() {
  std::uint32_t size = 0;
  for (const Found& found : found_) {
    size = std::max(size, found.header.world_size());
  }
  for (Found& found : found_) found.header.set_world_size(size);
}

void DumpFiles::addNotes(TraceSet& set) const {
  std::size_t from_name = 0, moved = 0;
  absl::btree_set<std::string> versions;
  for (const Found& found : found_) {
    from_name += found.rank_from_name;
    moved += found.was_moved;
    versions.insert(found.version);
  }
  if (from_name > 0) {
    set.input_warnings.push_back(absl::StrCat(
        from_name, from_name == 1 ? " dump does" : " dumps do",
        " not contain the rank, so it was taken from the file name"));
  }
  if (moved > 0) {
    set.input_warnings.push_back(absl::StrCat(
        moved, moved == 1 ? " dump is" : " dumps are",
        " of a rank that is not in its default group: read as those of replica "
        "groups that number their ranks from 0, as torchft's do"));
  }
  if (versions.size() > 1) {
    set.input_warnings.push_back(
        absl::StrCat("the dumps are of different versions of the format: ",
                     absl::StrJoin(versions, ", ")));
  }
}

}  // namespace traced
