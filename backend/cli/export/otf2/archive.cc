#include "cli/export/otf2/archive.h"

#include <cstdarg>

#include "absl/strings/str_cat.h"

namespace traced::otf2 {
namespace {

// The largest that the library takes: a group with its members must fit in.
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
  // Readers want a file of definitions for each, be it an empty one.
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

}  // namespace traced::otf2
