# What the whole project is built with; torch, which only the backend needs, is
# looked for in TracedTorch.cmake.

find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
add_library(traced_zstd INTERFACE)
target_include_directories(traced_zstd SYSTEM INTERFACE ${ZSTD_INCLUDE_DIR})
target_link_libraries(traced_zstd INTERFACE ${ZSTD_LIBRARY})

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
