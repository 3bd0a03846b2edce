# traced_warnings carries the warnings and sanitizers of all targets of this project.
add_library(traced_warnings INTERFACE)
target_compile_options(traced_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(TRACED_SANITIZE)
  target_compile_options(traced_warnings INTERFACE
    -fsanitize=${TRACED_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(traced_warnings INTERFACE -fsanitize=${TRACED_SANITIZE})
endif()

# traced_library(NAME SOURCES... DEPENDS... PRIVATE_DEPENDS... UNITS...) adds the static library
# traced_NAME and its alias traced::NAME, or an interface library without SOURCES. Include paths start
# at the backend folder: "ring_io/ring/ring.h".
#
# UNITS groups the sources of a unity build. Each unit lists folders, which include their subfolders,
# except ".", the library's own folder. A folder in no unit becomes its own unit. Names in anonymous
# namespaces must differ within a unit.
function(traced_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS;UNITS" ${ARGN})
  if(arg_SOURCES)
    add_library(traced_${name} STATIC ${arg_SOURCES})
    set_target_properties(traced_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
    foreach(source IN LISTS arg_SOURCES)
      cmake_path(GET source PARENT_PATH room)
      traced_unit_of(unit "${room}" "${arg_UNITS}")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${name}/${unit}")
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

# traced_unit_of(VARIABLE ROOM UNITS) sets VARIABLE to the number of the unit that contains the folder
# ROOM, by the longest match, or to ROOM if no unit does.
function(traced_unit_of variable room units)
  set(unit "${room}")
  set(longest -1)
  set(number 0)
  foreach(rooms IN LISTS units)
    separate_arguments(rooms)
    foreach(each IN LISTS rooms)
      string(LENGTH "${each}" length)
      string(FIND "${room}/" "${each}/" at)
      if((at EQUAL 0 OR (each STREQUAL "." AND room STREQUAL "")) AND length GREATER longest)
        set(unit ${number})
        set(longest ${length})
      endif()
    endforeach()
    math(EXPR number "${number} + 1")
  endforeach()
  set(${variable} "${unit}" PARENT_SCOPE)
endfunction()
