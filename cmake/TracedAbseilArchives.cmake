# Makes abseil's targets refer to static archives, for programs that run without an installed abseil.
# Debian's package has both kinds, and its targets refer to the shared ones.

get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER imported INCLUDE REGEX "^absl::")
foreach(target IN LISTS imported)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    get_target_property(library ${target} IMPORTED_LOCATION_${configuration})
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${library}")
    if(EXISTS "${archive}")
      set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION_${configuration} "${archive}")
    endif()
  endforeach()
endforeach()
