# Has abseil's targets name archives, for a program that is to run where no abseil is. Debian's
# package has both; its targets name the shared libraries.

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
