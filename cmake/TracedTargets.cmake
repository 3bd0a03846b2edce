# traced_warnings carries the warnings and sanitizers of every target of ours.
add_library(traced_warnings INTERFACE)
target_compile_options(traced_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(TRACED_SANITIZE)
  target_compile_options(traced_warnings INTERFACE
    -fsanitize=${TRACED_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(traced_warnings INTERFACE -fsanitize=${TRACED_SANITIZE})
endif()

# traced_library(NAME SOURCES... DEPENDS...) makes the static library traced_NAME
# with the alias traced::NAME. Includes are written from the backend folder, as
# "recorder/ring/ring.h". In a unity build each room, a folder, is compiled as one
# file: so what stands in a file concerns the names in its own room only.
function(traced_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(arg_SOURCES)
    add_library(traced_${name} STATIC ${arg_SOURCES})
    set_target_properties(traced_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
    foreach(source IN LISTS arg_SOURCES)
      cmake_path(GET source PARENT_PATH room)
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${name}/${room}")
    endforeach()
    target_include_directories(traced_${name} PUBLIC "${PROJECT_SOURCE_DIR}/backend")
    target_link_libraries(traced_${name}
      PUBLIC ${arg_DEPENDS} PRIVATE traced_warnings ${arg_PRIVATE_DEPENDS})
  else()
    add_library(traced_${name} INTERFACE)
    target_include_directories(traced_${name} INTERFACE "${PROJECT_SOURCE_DIR}/backend")
    target_link_libraries(traced_${name} INTERFACE ${arg_DEPENDS})
  endif()
  add_library(traced::${name} ALIAS traced_${name})
endfunction()
