// An OTF2 archive while it is written by OTF2's own library: a folder with a
// file of definitions, one of events per location, and one that names them all,
// which is written last.

#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace traced::otf2 {

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

}  // namespace traced::otf2
