// An OTF2 archive that OTF2's own library writes, and the events of its
// locations.

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

// Writes an OTF2 archive through OTF2's own library. An archive is a folder
// with a file of definitions, a file of events per location, and an anchor
// file. The anchor file names the others and is written last.
class Archive {
 public:
  // Creates an archive in `folder`, which must exist and be empty.
  explicit Archive(const std::string& folder);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // Returns the first error of the library, or "".
  const std::string& problem() const { return problem_; }
  // Records a failure that a call of the library returned.
  void check(OTF2_ErrorCode code);

  // Sets a property of the whole archive, such as "TRACED::JOB". Does nothing
  // if `value` is "".
  void setProperty(const std::string& name, const std::string& value);
  void setCreator(const std::string& creator);

  // Returns the writer of definitions. Call this and the following functions
  // only while problem() is "".
  OTF2_GlobalDefWriter* definitions() const { return definitions_; }
  // Begins the events of a location. Only one location may be open at a time.
  OTF2_EvtWriter* beginLocation(std::uint64_t location);
  // Ends the location and returns its number of events.
  std::uint64_t endLocation(OTF2_EvtWriter* writer);
  OTF2_MarkerWriter* markers() {
    return OTF2_Archive_GetMarkerWriter(archive_);
  }
  // Completes the archive and writes its anchor file.
  void close();

 private:
  // Receives the library's own error reports.
  static OTF2_ErrorCode keepProblem(void* archive, const char* file,
                                    std::uint64_t line, const char* function,
                                    OTF2_ErrorCode code, const char* format,
                                    va_list values);

  std::string folder_;
  std::string problem_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
};

// Defines texts, regions and attributes in the archive, each only once.
class Names {
 public:
  explicit Names(Archive& archive);

  // Returns the number of `text`, with control characters escaped.
  OTF2_StringRef text(std::string_view text);
  OTF2_RegionRef region(const std::string& name, OTF2_RegionRole role);
  // Returns the number of the attribute. The type must be the same in every
  // call.
  OTF2_AttributeRef attribute(std::string_view name, OTF2_Type type);

 private:
  Archive& archive_;
  absl::flat_hash_map<std::string, OTF2_StringRef> texts_;
  absl::flat_hash_map<std::string, OTF2_RegionRef> regions_;
  absl::flat_hash_map<std::string, OTF2_AttributeRef> attributes_;
};

// Collects the attributes of the next event.
class Facts {
 public:
  Facts(Archive& archive, Names& names)
      : archive_(archive), names_(names), list_(OTF2_AttributeList_New()) {}
  ~Facts() { OTF2_AttributeList_Delete(list_); }
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  // Adds an attribute: a text or an unsigned number.
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

  // Discards the collected attributes.
  void clear() {
    archive_.check(OTF2_AttributeList_RemoveAllAttributes(list_));
  }
  // Returns the attributes for a call of the library, which empties the list.
  OTF2_AttributeList* list() { return list_; }

 private:
  Archive& archive_;
  Names& names_;
  OTF2_AttributeList* const list_;
};

// The interval from the first to the last recorded instant.
struct TimeRange {
  std::uint64_t first_ns = ~std::uint64_t{0};
  std::uint64_t last_ns = 0;

  void add(std::uint64_t ns) {
    if (ns < first_ns) first_ns = ns;
    if (ns > last_ns) last_ns = ns;
  }
};

// LocationWriter writes the events of one location in the order of time.
// Regions must not overlap. Later events may fall into the same or following
// regions.
class LocationWriter {
 public:
  // Writes an event with the given time, in nanoseconds.
  using Write = std::function<OTF2_ErrorCode(OTF2_EvtWriter*, std::uint64_t)>;

  LocationWriter(Archive& archive, Facts& facts, TimeRange& range,
                 std::uint64_t location)
      : archive_(archive),
        facts_(facts),
        range_(range),
        writer_(archive.beginLocation(location)) {}

  // Enters a region, with the collected facts as attributes. `at_ns` must not
  // decrease from call to call.
  void enter(std::int64_t at_ns, OTF2_RegionRef region);
  // Leaves the region entered last.
  void leave(std::int64_t at_ns, OTF2_RegionRef region);
  // Writes an event at the time of the latest enter(), with the collected
  // facts.
  void write(const Write& event);
  // Schedules an event for a later time.
  void writeAt(std::int64_t at_ns, Write event);
  // Writes all scheduled events and returns the number of events.
  std::uint64_t finish();

 private:
  struct Later {
    std::int64_t at_ns;
    std::uint64_t order;
    Write event;

    bool operator>(const Later& other) const {
      return std::pair(at_ns, order) > std::pair(other.at_ns, other.order);
    }
  };

  // Writes the scheduled events up to `ns`, inclusive.
  void writeUntil(std::int64_t ns);
  // Converts a time for the library and extends the time range of the archive.
  std::uint64_t timeOf(std::int64_t ns);

  Archive& archive_;
  Facts& facts_;
  TimeRange& range_;
  OTF2_EvtWriter* const writer_;
  std::int64_t now_ns_ = 0;
  std::uint64_t next_order_ = 0;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
};

}  // namespace traced::otf2
