// Dump is one Flight Recorder dump: what PyTorch's own recorder held of one
// process when it was asked, as a pickle or as JSON. See
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

// A group as `pg_config` tells of it. Texts point into the dump.
struct DumpGroup {
  std::string_view name;
  std::string_view desc;
  std::vector<std::uint32_t> members;
  // What it ran on, where whoever wrote the dump said so.
  std::string_view backend;
};

// How far a group had come, as `pg_status` tells: sequence numbers as its
// backend counts them. Absent where there was none yet.
struct DumpProgress {
  std::int64_t group_id = 0;
  std::optional<std::uint64_t> last_enqueued;
  std::optional<std::uint64_t> last_started;
  std::optional<std::uint64_t> last_completed;
};

// One of `entries`. What the dump does not tell is absent; texts point into it.
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
  // Its backend no longer looks after it.
  bool retired = false;
  std::optional<double> duration_ms;
  std::optional<std::int64_t> timeout_ms;
  std::string_view thread_id;
  std::string_view thread_name;
  // A list of dicts, the innermost frame first.
  Value frames;
  // Lists, a member per tensor.
  Value input_sizes, input_dtypes;
  Value output_sizes, output_dtypes;
};

class Dump {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;

  // Whether a file that begins so may be a dump.
  static bool maybe(std::string_view beginning);
  // Absent for what is no dump. An Error for a pickle that cannot be read, and
  // for a dump of a version whose meaning is not known.
  static Result<std::optional<Dump>> parse(std::string_view bytes);

  // "2.10".
  std::string_view version() const { return version_; }
  // A minor version beyond those this program was written for.
  bool isNewer() const { return newer_; }
  std::string_view libraryVersion() const { return library_version_; }
  // The global rank, if the dump says it: by a field, or by a send or receive
  // of a group whose members it names.
  std::optional<std::uint32_t> rank() const { return rank_; }
  const std::vector<DumpGroup>& groups() const { return groups_; }
  const std::vector<DumpProgress>& progress() const { return progress_; }

  std::size_t entryCount() const { return entries_.size(); }
  DumpEntry entry(std::size_t i) const;

  // The members of a group; nullptr when the dump does not name them.
  const DumpGroup* groupNamed(std::string_view name) const;

  std::uint64_t bytes() const { return bytes_; }

 private:
  Dump(Document document, std::uint64_t bytes)
      : document_(std::make_unique<Document>(std::move(document))),
        bytes_(bytes) {}
  bool readGroups(Value config);
  void readProgress(Value status);
  std::optional<std::uint32_t> findRank() const;

  // Values point to it.
  std::unique_ptr<Document> document_;
  std::uint64_t bytes_;
  std::string_view version_;
  bool newer_ = false;
  std::string_view library_version_;
  std::optional<std::uint32_t> rank_;
  std::vector<DumpGroup> groups_;
  std::vector<DumpProgress> progress_;
  Value entries_;
};

// Which groups the counters of a dump are about. `pg_status` has them by a
// number that counts the groups of the process, `entries` say which group that
// is, and `pg_config` names the groups.
//
// The names of groups by their number. An entry names both. What no entry is of
// is known by the order in which groups were made, in which the process numbers
// them and torch names them "0", "1", "33": if as many groups have counters as
// have members, all names are such numbers, and no entry contradicts.
absl::flat_hash_map<std::int64_t, std::string_view> groupNamesById(
    const Dump& dump);

}  // namespace traced
