# Builds protobuf's lite runtime and zstd from the sources of Debian's packages, as
# position-independent archives. The installed protoc must have the same version.

set(TRACED_POOL "" CACHE STRING "Where Debian keeps its sources: the URL of a pool/main")
if(NOT TRACED_POOL)
  message(FATAL_ERROR "TRACED_WHEEL needs TRACED_POOL; scripts/wheels sets both.")
endif()
enable_language(C ASM)
include(FetchContent)

# traced_source(NAME FILE SHA256) downloads TRACED_POOL/FILE and sets ${NAME}_SOURCE_DIR to the folder
# with its content. Fails if the hash differs.
function(traced_source name file hash)
  FetchContent_Declare(${name} URL "${TRACED_POOL}/${file}" URL_HASH SHA256=${hash})
  # Unpacks only. The packages' own build files would build and install more.
  FetchContent_GetProperties(${name})
  if(NOT ${name}_POPULATED)
    FetchContent_Populate(${name})
  endif()
  set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()

traced_source(protobuf_source p/protobuf/protobuf_3.21.12.orig.tar.gz
  930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53)
traced_source(zstd_source libz/libzstd/libzstd_1.5.4+dfsg2.orig.tar.xz
  8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953)

if(NOT Protobuf_VERSION VERSION_EQUAL 3.21.12)
  message(FATAL_ERROR "A wheel needs protoc 3.21.12, and this is ${Protobuf_VERSION}.")
endif()

# Protobuf's CMake files list the sources of the lite runtime.
set(TRACED_PROTOBUF_INCLUDE_DIR "${protobuf_source_SOURCE_DIR}/src")
file(STRINGS "${protobuf_source_SOURCE_DIR}/cmake/libprotobuf-lite.cmake" lite_sources
  REGEX "src/google/.*\\.cc$")
list(TRANSFORM lite_sources REPLACE ".*/src/" "${TRACED_PROTOBUF_INCLUDE_DIR}/")
add_library(traced_protobuf STATIC ${lite_sources})
target_include_directories(traced_protobuf SYSTEM PUBLIC "${TRACED_PROTOBUF_INCLUDE_DIR}")
target_compile_definitions(traced_protobuf PRIVATE HAVE_PTHREAD)
target_link_libraries(traced_protobuf PUBLIC Threads::Threads)

set(zstd "${zstd_source_SOURCE_DIR}/lib")
file(GLOB zstd_sources
  "${zstd}/common/*.c" "${zstd}/compress/*.c" "${zstd}/decompress/*.c" "${zstd}/decompress/*.S")
add_library(traced_zstd STATIC ${zstd_sources})
target_include_directories(traced_zstd SYSTEM PUBLIC "${zstd}")
# With tracing, zstd calls weak symbols that another library of the process may define.
target_compile_definitions(traced_zstd PRIVATE ZSTD_TRACE=0)
set_target_properties(traced_zstd traced_protobuf PROPERTIES UNITY_BUILD OFF)
