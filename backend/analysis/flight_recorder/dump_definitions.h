// Converts what a dump's entries name to definitions without duplicates: calls
// and call sites.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/document.h"
#include "analysis/flight_recorder/dump.h"
#include "base/code_kind.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Id of an entry's group, and its members.
struct DumpGroupRef {
  std::uint32_t id = 0;
  // nullptr if the dump does not list the members.
  const DumpGroup* group = nullptr;
  // Whether group ranks equal global ranks.
  bool is_world = false;
};

// DumpCalls converts calls to definitions. Not thread safe. The payload must
// outlive it.
class DumpCalls {
 public:
  // `dump_bytes`: size of the dump. Limits the work, because entries may share
  // long lists: at most 16 tensors and dimensions are read per byte. Further
  // tensors count as cut.
  DumpCalls(v1::Payload& payload, std::uint64_t dump_bytes)
      : payload_(payload), budget_(kWorkPerByte * dump_bytes) {}

  // Returns the id of the entry's call, adding it if needed.
  std::uint32_t add(const DumpEntry& entry, const DumpGroupRef& group);

 private:
  static constexpr std::uint64_t kWorkPerByte = 16;

  struct Tensors {
    std::uint32_t count = 0;
    std::uint32_t cut = 0;
    std::uint64_t bytes = 0;
  };
  using Runs = google::protobuf::RepeatedPtrField<v1::TensorRun>;

  // Appends the tensors of an entry to `runs`. Returns their number, their
  // bytes and how many were cut.
  Tensors addTensors(Value sizes, Value dtypes, Runs& runs);
  // Sets `run` to the tensor and `bytes` to its size. Returns false if the size
  // is unknown.
  bool describe(Value shape, Value dtype_name, v1::TensorRun& run,
                std::uint64_t& bytes);

  v1::Payload& payload_;
  std::uint64_t budget_;
  absl::flat_hash_map<std::string, std::uint32_t> id_by_call_;
};

// DumpSites converts the recorded Python and C++ frames of a dump's entries to
// call sites. Adds stacks to the payload, which must outlive it, with ids from
// 1 on.
class DumpSites {
 public:
  // `dump_bytes`: size of the dump. Limits the frames read and the texts
  // stored, because entries may share long lists of frames.
  DumpSites(v1::Payload& payload, std::uint64_t dump_bytes);

  // Returns the id of the stack for a list of frames, innermost first. The
  // stack has the call site: the innermost frame of the program. If the program
  // called a package, the package's innermost frame precedes it. Returns 0 if
  // no frame belongs to a program or package, or beyond the limits.
  std::uint32_t add(Value frames);

 private:
  // File, function and line. An empty file means none.
  using Place = std::tuple<std::string_view, std::string_view, std::int64_t>;
  struct Site {
    Place program;
    Place package;
    bool operator==(const Site&) const = default;
    template <typename H>
    friend H AbslHashValue(H state, const Site& site) {
      return H::combine(std::move(state), site.program, site.package);
    }
  };

  // Returns the frames of the call site and of the package that it called.
  // Both are empty if no frame belongs to a program or a package.
  Site siteOf(Value frames);
  static void fillFrame(const Place& place, v1::Frame& frame);

  v1::Payload& payload_;
  std::uint64_t frames_left_;
  std::uint64_t text_bytes_left_;
  absl::flat_hash_map<Site, std::uint32_t> ids_;
};

// Classifies a frame by its file. C++ code counts as a library's.
CodeKind dumpedCodeOf(std::string_view file);

}  // namespace traced
