// Dump is one Flight Recorder dump: what PyTorch's own recorder held of a
// process when the dump was made, as a pickle or JSON. See
// docs/use/flight_recorder.md.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/document.h"
#include "base/result.h"

namespace traced {

// A group from `pg_config`. Texts point into the dump.
struct DumpGroup {
  std::string_view name;
  std::string_view desc;
  std::vector<std::uint32_t> members;
  // The backend, if the writer of the dump recorded it.
  std::string_view backend;
};

// Progress of a group from `pg_status`, in its backend's sequence numbers.
// Absent if it has not enqueued, started or completed anything.
struct DumpProgress {
  std::int64_t group_id = 0;
  std::optional<std::uint64_t> last_enqueued;
  std::optional<std::uint64_t> last_started;
  std::optional<std::uint64_t> last_completed;
};

// One of `entries`. Fields missing in the dump are absent. Texts point into the
// dump.
struct DumpEntry {
  std::optional<std::uint64_t> record_id;
  std::optional<std::int64_t> group_id;
  std::string_view group_name;
  std::string_view group_desc;
  std::uint64_t collective_seq = 0;
  std::uint64_t p2p_seq = 0;
  bool is_p2p = false;
  std::string_view profiling_name;
  // Nanoseconds since 1970.
  std::optional<std::int64_t> created_ns;
  std::optional<std::int64_t> started_ns;
  std::optional<std::int64_t> completed_ns;
  // The backend no longer tracks the operation.
  bool retired = false;
  std::optional<double> duration_ms;
  std::optional<std::int64_t> timeout_ms;
  std::string_view thread_id;
  std::string_view thread_name;
  // A list of dicts, innermost frame first.
  Value frames;
  // Lists with a member per tensor.
  Value input_sizes, input_dtypes;
  Value output_sizes, output_dtypes;
};

class Dump {
 public:
  // The description of the default group.
  static constexpr std::string_view kWorldDesc = "default_pg";

  // Maximum size of a file that is read as a dump.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;

  // Returns whether a file with this beginning may be a dump.
  static bool maybe(std::string_view beginning);
  // Parses the content of a file. Returns nullopt if it is not a dump. Fails if
  // a pickle cannot be read, if the dump has an unknown major version, or if it
  // repeats references too often.
  static Result<std::optional<Dump>> parse(std::string_view bytes);

  // Returns the version of the dump's format, such as "2.10".
  std::string_view version() const { return version_; }
  // Returns whether the minor version is newer than those supported.
  bool isNewer() const { return newer_; }
  // Returns the version of the communication library, such as NCCL's; "" if
  // absent.
  std::string_view libraryVersion() const { return library_version_; }
  // Returns the global rank if the dump contains it, either as a field or
  // through sends and receives of a group with known members.
  std::optional<std::uint32_t> rank() const { return rank_; }
  // Returns whether a field of the dump is the rank.
  bool isRankGiven() const { return rank_given_; }
  // Returns whether rank() may be the number, within a replica group, of rank
  // `rank` of the whole job. See moveToReplica().
  bool isReplicaOf(std::uint32_t rank) const;
  const std::vector<DumpGroup>& groups() const { return groups_; }
  const std::vector<DumpProgress>& progress() const { return progress_; }

  std::size_t entryCount() const { return entries_.size(); }
  // Returns the entry at index `i`, in the dump's order. Beyond the end, all
  // fields are absent.
  DumpEntry entry(std::size_t i) const;

  // Returns the group with a name, or nullptr if the dump does not list its
  // members.
  const DumpGroup* groupNamed(std::string_view name) const;

  // Moves the groups of a torchft job to global ranks. There each replica group
  // numbers its ranks from 0, and its world lacks the process's `rank`. Other
  // groups are moved if they are within that world. Returns the size of the
  // replica group, or 0 if there was nothing to move.
  std::uint32_t moveToReplica(std::uint32_t rank);

  // Returns the size of the file in bytes.
  std::uint64_t bytes() const { return bytes_; }

 private:
  Dump(Document document, std::uint64_t bytes)
      : document_(std::make_unique<Document>(std::move(document))),
        bytes_(bytes) {}
  bool readGroups(Value config);
  void readProgress(Value status);
  std::optional<std::uint32_t> rankGiven() const;
  std::optional<std::uint32_t> rankInMessages() const;
  const DumpGroup* world() const;

  // On the heap, because values point to it.
  std::unique_ptr<Document> document_;
  std::uint64_t bytes_;
  std::string_view version_;
  bool newer_ = false;
  std::string_view library_version_;
  std::optional<std::uint32_t> rank_;
  bool rank_given_ = false;
  std::vector<DumpGroup> groups_;
  std::vector<DumpProgress> progress_;
  Value entries_;
};

// Returns group names by the group numbers that `pg_status` uses: its counters
// do not contain names, and `pg_config` does not contain numbers.
//
// An entry contains both. Groups without an entry are identified by order of
// creation: the process numbers groups in that order, and torch names them "0",
// "1", "33". This is used only if both sides have the same number of groups,
// all names are such numbers, and no entry contradicts.
absl::flat_hash_map<std::int64_t, std::string_view> groupNamesById(
    const Dump& dump);

}  // namespace traced
