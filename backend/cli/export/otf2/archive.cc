#include "cli/export/otf2/archive.h"

#include <cstdarg>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "phrasing/text.h"

namespace traced::otf2 {
namespace {

// The largest chunk that the library supports. A group with all its members
// must fit into one.
constexpr std::uint64_t kDefinitionBytes = OTF2_CHUNK_SIZE_MAX;

OTF2_FlushType alwaysFlush(void*, OTF2_FileType, OTF2_LocationRef, void*,
                           bool) {
  return OTF2_FLUSH;
}
constexpr OTF2_FlushCallbacks kFlush = {alwaysFlush, nullptr};

}  // namespace

Archive::Archive(const std::string& folder) : folder_(folder) {
  OTF2_Error_RegisterCallback(keepProblem, this);
  archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE,
                               OTF2_CHUNK_SIZE_EVENTS_DEFAULT, kDefinitionBytes,
                               OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!archive_) {
    check(OTF2_ERROR_INVALID);
    return;
  }
  check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  check(OTF2_Archive_OpenEvtFiles(archive_));
  check(OTF2_Archive_OpenDefFiles(archive_));
  definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
}

Archive::~Archive() {
  close();
  OTF2_Error_RegisterCallback(nullptr, nullptr);
}

OTF2_ErrorCode Archive::keepProblem(void* archive, const char*, std::uint64_t,
                                    const char*, OTF2_ErrorCode code,
                                    const char*, va_list) {
  static_cast<Archive*>(archive)->check(code);
  return code;
}

void Archive::check(OTF2_ErrorCode code) {
  if (code == OTF2_SUCCESS || code <= OTF2_WARNING || !problem_.empty()) return;
  problem_ = absl::StrCat(folder_, ": ", OTF2_Error_GetDescription(code));
}

void Archive::setProperty(const std::string& name, const std::string& value) {
  if (archive_ && !value.empty()) {
    check(
        OTF2_Archive_SetProperty(archive_, name.c_str(), value.c_str(), true));
  }
}

void Archive::setCreator(const std::string& creator) {
  if (archive_) check(OTF2_Archive_SetCreator(archive_, creator.c_str()));
}

OTF2_EvtWriter* Archive::beginLocation(std::uint64_t location) {
  // Readers require a file of definitions for each location, even an empty one.
  OTF2_DefWriter* own = OTF2_Archive_GetDefWriter(archive_, location);
  if (own) check(OTF2_Archive_CloseDefWriter(archive_, own));
  return OTF2_Archive_GetEvtWriter(archive_, location);
}

std::uint64_t Archive::endLocation(OTF2_EvtWriter* writer) {
  std::uint64_t events = 0;
  check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
  check(OTF2_Archive_CloseEvtWriter(archive_, writer));
  return events;
}

void Archive::close() {
  if (!archive_) return;
  if (definitions_) {
    check(OTF2_Archive_CloseEvtFiles(archive_));
    check(OTF2_Archive_CloseDefFiles(archive_));
  }
  check(OTF2_Archive_Close(archive_));
  archive_ = nullptr;
}

namespace {

// Converts to the string view that absl's maps use.
absl::string_view key(std::string_view text) {
  return {text.data(), text.size()};
}

// Returns the number of a key, and whether it is new.
template <typename Number>
std::pair<Number, bool> numberOf(absl::flat_hash_map<std::string, Number>& map,
                                 absl::string_view key) {
  const auto known = map.find(key);
  if (known != map.end()) return {known->second, false};
  const auto number = static_cast<Number>(map.size());
  map.emplace(key, number);
  return {number, true};
}

// Returns MPI for calls of torch.distributed, because readers search for
// communication in that paradigm.
OTF2_Paradigm paradigmOf(OTF2_RegionRole role) {
  return role == OTF2_REGION_ROLE_CODE ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI;
}

}  // namespace

Names::Names(Archive& archive) : archive_(archive) { text(""); }

OTF2_StringRef Names::text(std::string_view text) {
  const auto [number, is_new] = numberOf(texts_, key(text));
  if (is_new) {
    archive_.check(OTF2_GlobalDefWriter_WriteString(
        archive_.definitions(), number, printable(text).c_str()));
  }
  return number;
}

OTF2_RegionRef Names::region(const std::string& name, OTF2_RegionRole role) {
  const auto [number, is_new] =
      numberOf(regions_, absl::StrCat(name, " ", static_cast<int>(role)));
  if (is_new) {
    const OTF2_StringRef named = text(name);
    archive_.check(OTF2_GlobalDefWriter_WriteRegion(
        archive_.definitions(), number, named, named, text(""), role,
        paradigmOf(role), OTF2_REGION_FLAG_NONE, text(""), 0, 0));
  }
  return number;
}

OTF2_AttributeRef Names::attribute(std::string_view name, OTF2_Type type) {
  const auto [number, is_new] = numberOf(attributes_, key(name));
  if (is_new) {
    archive_.check(OTF2_GlobalDefWriter_WriteAttribute(
        archive_.definitions(), number, text(name), text(""), type));
  }
  return number;
}

std::uint64_t LocationWriter::timeOf(std::int64_t ns) {
  const auto time = static_cast<std::uint64_t>(ns);
  range_.add(time);
  return time;
}

void LocationWriter::enter(std::int64_t at_ns, OTF2_RegionRef region) {
  writeUntil(at_ns);
  now_ns_ = at_ns;
  archive_.check(
      OTF2_EvtWriter_Enter(writer_, facts_.list(), timeOf(at_ns), region));
}

void LocationWriter::leave(std::int64_t at_ns, OTF2_RegionRef region) {
  writeUntil(at_ns);
  archive_.check(OTF2_EvtWriter_Leave(writer_, nullptr, timeOf(at_ns), region));
}

void LocationWriter::write(const Write& event) {
  archive_.check(event(writer_, timeOf(now_ns_)));
}

void LocationWriter::writeAt(std::int64_t at_ns, Write event) {
  later_.push({at_ns, next_order_++, std::move(event)});
}

void LocationWriter::writeUntil(std::int64_t ns) {
  while (!later_.empty() && later_.top().at_ns <= ns) {
    const Later& next = later_.top();
    archive_.check(next.event(writer_, timeOf(next.at_ns)));
    later_.pop();
  }
}

std::uint64_t LocationWriter::finish() {
  writeUntil(std::numeric_limits<std::int64_t>::max());
  return archive_.endLocation(writer_);
}

}  // namespace traced::otf2
