# Dependencies of the whole project. TracedTorch.cmake finds torch, which only the backend needs.

find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(CLI11 REQUIRED)
# Beast and Asio, header-only. Without them `tracectl serve` has no HTTP. The policy selects CMake's
# own module, which also finds a Boost without CMake files.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 OLD)
endif()
find_package(Boost 1.74 QUIET)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
set(ZLIB_USE_STATIC_LIBS ${TRACED_WHEEL})
find_package(ZLIB REQUIRED)

# Defines traced_protobuf (with TRACED_PROTOBUF_INCLUDE_DIR) and traced_zstd for the extension. A wheel
# contains them, built from source, because Debian's archives are not position-independent.
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

# Header-only. Without exceptions, parse errors are return values.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(traced_tomlplusplus INTERFACE)
target_include_directories(traced_tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
target_compile_definitions(traced_tomlplusplus INTERFACE TOML_HEADER_ONLY=1 TOML_EXCEPTIONS=0)

# XXH_INLINE_ALL makes xxHash header-only.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(traced_xxhash INTERFACE)
target_include_directories(traced_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(traced_xxhash INTERFACE XXH_INLINE_ALL)

# Optional, version 3.0 or later: for `tracectl export --format otf2`. Prefers the static archive, so
# that tracectl needs no shared library. Debian renames the library.
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
