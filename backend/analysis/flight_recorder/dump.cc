#include "analysis/flight_recorder/dump.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analysis/flight_recorder/document.h"
#include "analysis/flight_recorder/vocabulary.h"

namespace traced {
namespace {

constexpr std::uint32_t kMajor = 2;
constexpr std::uint32_t kNewestMinor = 10;
// Minimum size of an entry in any dump.
constexpr std::size_t kMinEntryBytes = 32;

absl::string_view asAbsl(std::string_view text) {
  return {text.data(), text.size()};
}

// Accepts a number, or a text with one: the JSON form has both.
std::optional<std::int64_t> numberOf(Value value) {
  if (const auto number = value.asInt()) return number;
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(asAbsl(value.asName()), &number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> countOf(Value value) {
  const auto number = numberOf(value);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// Returns nanoseconds since 1970, or nullopt for 0, which the JSON form writes
// for a time that was not observed.
std::optional<std::int64_t> timeOf(Value value) {
  const auto ns = value.asInt();
  return ns && *ns > 0 ? ns : std::nullopt;
}

// Parses "[0, 1, 5]". Returns nothing if malformed.
std::vector<std::uint32_t> ranksIn(std::string_view text) {
  std::vector<std::uint32_t> ranks;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  const auto inside = asAbsl(text.substr(1, text.size() - 2));
  for (const absl::string_view word :
       absl::StrSplit(inside, ',', absl::SkipWhitespace())) {
    std::uint32_t rank = 0;
    if (!absl::SimpleAtoi(word, &rank)) return {};
    ranks.push_back(rank);
  }
  return ranks;
}

// Also accepts a list of numbers, as old dumps have it.
std::vector<std::uint32_t> ranksIn(Value value) {
  if (!value.isList()) return ranksIn(value.asText().value_or(""));
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto rank = countOf(value.at(i));
    if (!rank || *rank > std::numeric_limits<std::uint32_t>::max()) return {};
    ranks.push_back(static_cast<std::uint32_t>(*rank));
  }
  return ranks;
}

struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
};

std::optional<Version> versionIn(std::string_view text) {
  Version version;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(asAbsl(text), absl::MaxSplits('.', 1));
  if (!absl::SimpleAtoi(parts.first, &version.major) ||
      !absl::SimpleAtoi(parts.second, &version.minor)) {
    return std::nullopt;
  }
  return version;
}

}  // namespace

bool Dump::maybe(std::string_view beginning) {
  return beginsAsPickle(beginning) || beginsAsJson(beginning);
}

Result<std::optional<Dump>> Dump::parse(std::string_view bytes) {
  const bool is_pickle = beginsAsPickle(bytes);
  auto document = is_pickle ? readPickle(bytes) : readJson(bytes);
  if (!document && !is_pickle) return std::optional<Dump>();
  if (!document) return document.error();

  Dump dump(std::move(*document), bytes.size());
  const Value root = dump.document_->root();
  dump.version_ = root.find("version").asName();
  dump.entries_ = root.find("entries");
  const bool is_dump =
      root.find("pg_config").isDict() || dump.entries_.isList();
  const auto version = versionIn(dump.version_);
  if (!version || !is_dump) return std::optional<Dump>();
  if (version->major != kMajor) {
    return Error{absl::StrCat("a Flight Recorder dump of version ",
                              asAbsl(dump.version_), ", and only 2.x is read")};
  }
  dump.newer_ = version->minor > kNewestMinor;
  const bool fits = dump.entryCount() <= bytes.size() / kMinEntryBytes;
  if (!fits || !dump.readGroups(root.find("pg_config"))) {
    return Error{
        "a Flight Recorder dump that repeats the same references too often"};
  }
  // The field's name before version 2.10.
  const std::string_view older_name = root.find("nccl_version").asName();
  dump.library_version_ =
      older_name.empty() ? root.find("comm_lib_version").asName() : older_name;
  dump.readProgress(root.find("pg_status"));
  dump.rank_ = dump.rankGiven();
  dump.rank_given_ = dump.rank_.has_value();
  if (!dump.rank_) dump.rank_ = dump.rankInMessages();
  return std::optional<Dump>(std::move(dump));
}

namespace {

bool hasMember(const DumpGroup& group, std::uint32_t rank) {
  return std::find(group.members.begin(), group.members.end(), rank) !=
         group.members.end();
}

}  // namespace

const DumpGroup* Dump::world() const {
  const auto found = std::find_if(
      groups_.begin(), groups_.end(),
      [](const DumpGroup& group) { return group.desc == kWorldDesc; });
  return found == groups_.end() || found->members.empty() ? nullptr : &*found;
}

bool Dump::isReplicaOf(std::uint32_t rank) const {
  const DumpGroup* all = world();
  return all && rank_ && !hasMember(*all, rank) &&
         rank % all->members.size() == *rank_;
}

std::uint32_t Dump::moveToReplica(std::uint32_t rank) {
  const DumpGroup* all = world();
  if (!all) return 0;
  const auto size = static_cast<std::uint32_t>(all->members.size());
  const std::uint32_t first = rank - rank % size;
  if (hasMember(*all, rank) || !hasMember(*all, rank - first)) return 0;
  std::vector<std::uint32_t> local = all->members;
  std::sort(local.begin(), local.end());
  for (DumpGroup& group : groups_) {
    const bool is_within = std::all_of(
        group.members.begin(), group.members.end(), [&](std::uint32_t member) {
          return std::binary_search(local.begin(), local.end(), member);
        });
    if (!is_within || !hasMember(group, rank - first)) continue;
    for (std::uint32_t& member : group.members) member += first;
  }
  return size;
}

// Returns false if the lists of members are longer in total than the file. A
// pickle can refer to one text many times.
bool Dump::readGroups(Value config) {
  std::uint64_t text_bytes = 0;
  for (std::size_t i = 0; i < config.pairs(); ++i) {
    const auto [key, info] = config.pair(i);
    const Value ranks = info.find("ranks");
    text_bytes += ranks.asText().value_or("").size() + ranks.size();
    if (text_bytes > bytes_) return false;
    groups_.push_back({key.asName(), info.find("desc").asName(), ranksIn(ranks),
                       info.find("backend").asName()});
  }
  std::sort(
      groups_.begin(), groups_.end(),
      [](const DumpGroup& a, const DumpGroup& b) { return a.name < b.name; });
  return true;
}

void Dump::readProgress(Value status) {
  for (std::size_t i = 0; i < status.pairs(); ++i) {
    const auto [key, group] = status.pair(i);
    const auto id = numberOf(key);
    if (!id || !group.isDict()) continue;
    progress_.push_back({*id, countOf(group.find("last_enqueued_collective")),
                         countOf(group.find("last_started_collective")),
                         countOf(group.find("last_completed_collective"))});
  }
}

const DumpGroup* Dump::groupNamed(std::string_view name) const {
  const auto found =
      std::lower_bound(groups_.begin(), groups_.end(), name,
                       [](const DumpGroup& group, std::string_view wanted) {
                         return group.name < wanted;
                       });
  const bool known =
      found != groups_.end() && found->name == name && !found->members.empty();
  return known ? &*found : nullptr;
}

DumpEntry Dump::entry(std::size_t i) const {
  const Value value = entries_.at(i);
  const Value group = value.find("process_group");
  DumpEntry entry;
  entry.record_id = countOf(value.find("record_id"));
  entry.group_id = value.find("pg_id").asInt();
  entry.group_name = group.at(0).asName();
  entry.group_desc = group.at(1).asName();
  entry.collective_seq = countOf(value.find("collective_seq_id")).value_or(0);
  entry.p2p_seq = countOf(value.find("p2p_seq_id")).value_or(0);
  entry.is_p2p = value.find("is_p2p").asBool().value_or(false);
  entry.profiling_name = value.find("profiling_name").asName();
  entry.created_ns = timeOf(value.find("time_created_ns"));
  entry.started_ns = timeOf(value.find("time_discovered_started_ns"));
  entry.completed_ns = timeOf(value.find("time_discovered_completed_ns"));
  entry.retired = value.find("retired").asBool().value_or(false);
  entry.duration_ms = value.find("duration_ms").asDouble();
  entry.timeout_ms = value.find("timeout_ms").asInt();
  entry.thread_id = value.find("thread_id").asName();
  entry.thread_name = value.find("thread_name").asName();
  entry.frames = value.find("frames");
  entry.input_sizes = value.find("input_sizes");
  entry.input_dtypes = value.find("input_dtypes");
  entry.output_sizes = value.find("output_sizes");
  entry.output_dtypes = value.find("output_dtypes");
  return entry;
}

std::optional<std::uint32_t> Dump::rankGiven() const {
  const auto field = countOf(document_->root().find("rank"));
  if (!field || *field > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*field);
}

// Sends and receives name both ends by their ranks within the group. All must
// agree, since a dump that contradicts itself proves nothing.
std::optional<std::uint32_t> Dump::rankInMessages() const {
  std::optional<std::uint32_t> rank;
  for (std::size_t i = 0; i < entryCount(); ++i) {
    const Value value = entries_.at(i);
    const ProfilingName name =
        parseProfilingName(value.find("profiling_name").asName());
    if (!name.self) continue;
    const DumpGroup* group =
        groupNamed(value.find("process_group").at(0).asName());
    if (!group || *name.self >= group->members.size()) continue;
    const std::uint32_t found = group->members[*name.self];
    if (rank && *rank != found) return std::nullopt;
    rank = found;
  }
  return rank;
}

}  // namespace traced
