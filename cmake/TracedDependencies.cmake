# What the whole project is built with; torch, which only the backend needs, is
# looked for in TracedTorch.cmake.

find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(CLI11 REQUIRED)
# Beast and Asio, of which headers are all; without them `tracectl serve` answers no requests
# and sends nothing. CMake's own module finds them also where they are headers alone.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 OLD)
endif()
find_package(Boost 1.74 QUIET)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
set(ZLIB_USE_STATIC_LIBS ${TRACED_WHEEL})
find_package(ZLIB REQUIRED)

# What the extension is linked with: traced_protobuf (and TRACED_PROTOBUF_INCLUDE_DIR) and
# traced_zstd. In a wheel they are inside, and Debian's archives are not for shared libraries.
if(TRACED_WHEEL)
  include(TracedSources)
  include(TracedAbseilArchives)
else()
  add_library(traced_protobuf INTERFACE)
  target_link_libraries(traced_protobuf INTERFACE protobuf::libprotobuf-lite)
  list(GET Protobuf_INCLUDE_DIRS 0 TRACED_PROTOBUF_INCLUDE_DIR)

  find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
  find_library(ZSTD_LIBRARY zstd REQUIRED)
  add_library(traced_zstd INTERFACE)
  target_include_directories(traced_zstd SYSTEM INTERFACE ${ZSTD_INCLUDE_DIR})
  target_link_libraries(traced_zstd INTERFACE ${ZSTD_LIBRARY})
endif()

# Header-only, so that tracectl needs no library of it. Without exceptions an
# error is a value.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(traced_tomlplusplus INTERFACE)
target_include_directories(traced_tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
target_compile_definitions(traced_tomlplusplus INTERFACE TOML_HEADER_ONLY=1 TOML_EXCEPTIONS=0)

# XXH3 is header-only when XXH_INLINE_ALL is set, so nothing is linked.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(traced_xxhash INTERFACE)
target_include_directories(traced_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(traced_xxhash INTERFACE XXH_INLINE_ALL)

# Only for `tracectl export --format otf2`: without it, or with one before 3.0,
# all else is built. Linked into tracectl where there is an archive of it, so that
# tracectl needs no library where it runs. Debian has a name of its own for it.
find_path(TRACED_OTF2_INCLUDE_DIR otf2/otf2.h)
find_library(TRACED_OTF2_LIBRARY
  NAMES libopen-trace-format2.a libotf2.a open-trace-format2 otf2)
if(TRACED_OTF2_LIBRARY AND TRACED_OTF2_INCLUDE_DIR)
  file(STRINGS ${TRACED_OTF2_INCLUDE_DIR}/otf2/OTF2_EvtWriter.h of_3_0
    REGEX "^OTF2_EvtWriter_NonBlockingCollectiveComplete" LIMIT_COUNT 1)
  if(of_3_0)
    add_library(traced_otf2 INTERFACE)
    target_include_directories(traced_otf2 SYSTEM INTERFACE ${TRACED_OTF2_INCLUDE_DIR})
    target_link_libraries(traced_otf2 INTERFACE ${TRACED_OTF2_LIBRARY})
  endif()
endif()
