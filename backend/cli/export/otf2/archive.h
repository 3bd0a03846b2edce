// An OTF2 archive while it is written by OTF2's own library, and the events of
// its locations.

#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/export/columns.h"

namespace traced::otf2 {

// An OTF2 archive while it is written by OTF2's own library: a folder with a
// file of definitions, one of events per location, and one that names them all,
// which is written last.
class Archive {
 public:
  // `folder`: one that is there, and is empty.
  explicit Archive(const std::string& folder);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // "" while all went well.
  const std::string& problem() const { return problem_; }
  // Of a call of the library.
  void check(OTF2_ErrorCode code);

  // Something about the whole archive; unless the value is "". `name`: such as
  // "TRACED::JOB".
  void setProperty(const std::string& name, const std::string& value);
  void setCreator(const std::string& creator);

  // Only where there is no problem, as the next.
  OTF2_GlobalDefWriter* definitions() const { return definitions_; }
  // One at a time.
  OTF2_EvtWriter* beginLocation(std::uint64_t location);
  // How many events it has.
  std::uint64_t endLocation(OTF2_EvtWriter* writer);
  OTF2_MarkerWriter* markers() {
    return OTF2_Archive_GetMarkerWriter(archive_);
  }
  // Puts all in its place.
  void close();

 private:
  static OTF2_ErrorCode keepProblem(void* archive, const char* file,
                                    std::uint64_t line, const char* function,
                                    OTF2_ErrorCode code, const char* format,
                                    va_list values);

  std::string folder_;
  std::string problem_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
};

class Names {
 public:
  explicit Names(Archive& archive);

  // Whatever the text holds, what is defined is harmless.
  OTF2_StringRef text(std::string_view text);
  OTF2_RegionRef region(const std::string& name, OTF2_RegionRole role);
  // The same type whenever it is asked for.
  OTF2_AttributeRef attribute(std::string_view name, OTF2_Type type);

 private:
  Archive& archive_;
  absl::flat_hash_map<std::string, OTF2_StringRef> texts_;
  absl::flat_hash_map<std::string, OTF2_RegionRef> regions_;
  absl::flat_hash_map<std::string, OTF2_AttributeRef> attributes_;
};

class Facts {
 public:
  Facts(Archive& archive, Names& names)
      : archive_(archive), names_(names), list_(OTF2_AttributeList_New()) {}
  ~Facts() { OTF2_AttributeList_Delete(list_); }
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  void take(const char* name, const CellValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      archive_.check(OTF2_AttributeList_AddStringRef(
          list_, names_.attribute(name, OTF2_TYPE_STRING), names_.text(*text)));
    } else {
      archive_.check(OTF2_AttributeList_AddUint64(
          list_, names_.attribute(name, OTF2_TYPE_UINT64),
          std::get<std::uint64_t>(value)));
    }
  }

  void clear() {
    archive_.check(OTF2_AttributeList_RemoveAllAttributes(list_));
  }
  // For the library, which empties it.
  OTF2_AttributeList* list() { return list_; }

 private:
  Archive& archive_;
  Names& names_;
  OTF2_AttributeList* const list_;
};

// From the first to the last instant that is told of.
struct TimeRange {
  std::uint64_t first_ns = ~std::uint64_t{0};
  std::uint64_t last_ns = 0;

  void add(std::uint64_t ns) {
    if (ns < first_ns) first_ns = ns;
    if (ns > last_ns) last_ns = ns;
  }
};

// LocationWriter writes the events of one location, in the order of time:
// stretches that do not overlap, and what ends while they or others last.
class LocationWriter {
 public:
  // Writes an event at a time.
  using Write = std::function<OTF2_ErrorCode(OTF2_EvtWriter*, std::uint64_t)>;

  LocationWriter(Archive& archive, Facts& facts, TimeRange& range,
                 std::uint64_t location)
      : archive_(archive),
        facts_(facts),
        range_(range),
        writer_(archive.beginLocation(location)) {}

  // With the facts that were taken. What is entered later begins later.
  void enter(std::int64_t at_ns, OTF2_RegionRef region);
  void leave(std::int64_t at_ns, OTF2_RegionRef region);
  // At the time of what was entered last; with the facts that were taken.
  void write(const Write& event);
  // At a later time.
  void writeAt(std::int64_t at_ns, Write event);
  // How many events there are.
  std::uint64_t finish();

 private:
  struct Later {
    std::int64_t at_ns;
    std::uint64_t place;
    Write event;

    bool operator>(const Later& other) const {
      return std::pair(at_ns, place) > std::pair(other.at_ns, other.place);
    }
  };

  void writeUntil(std::int64_t ns);
  std::uint64_t timeOf(std::int64_t ns);

  Archive& archive_;
  Facts& facts_;
  TimeRange& range_;
  OTF2_EvtWriter* const writer_;
  std::int64_t now_ns_ = 0;
  std::uint64_t places_ = 0;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
};

}  // namespace traced::otf2
