# Embeds the styles and scripts of HTML pages in tracectl, with their hashes for the
# Content-Security-Policy.

# traced_base64_sha256(VARIABLE TEXT) sets VARIABLE to the base64 SHA-256 of TEXT.
function(traced_base64_sha256 variable text)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  # Pads 32 bytes to 33, a multiple of three.
  string(APPEND hex "00")
  set(encoded "")
  foreach(begin RANGE 0 60 6)
    string(SUBSTRING "${hex}" ${begin} 6 three)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING "${digits}" ${digit} 1 character)
      string(APPEND encoded "${character}")
    endforeach()
  endforeach()
  string(SUBSTRING "${encoded}" 0 43 encoded)
  set(${variable} "${encoded}=" PARENT_SCOPE)
endfunction()

# traced_page_parts(TARGET NAME STYLES files... SCRIPTS files...) adds the constant NAME of
# report/html/page_parts.h to a target of this folder.
function(traced_page_parts target page_name)
  cmake_parse_arguments(arg "" "" "STYLES;SCRIPTS" ${ARGN})
  set(style_files ${arg_STYLES})
  set(script_files ${arg_SCRIPTS})
  foreach(kind style script)
    set(${kind}_text "\n")
    foreach(file IN LISTS ${kind}_files)
      set(file "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      file(READ "${file}" text)
      string(APPEND ${kind}_text "${text}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    endforeach()
    traced_base64_sha256(${kind}_hash "${${kind}_text}")
  endforeach()
  set(made "${CMAKE_CURRENT_BINARY_DIR}/report/html/${page_name}.cc")
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/report/html/page_parts.cc.in" "${made}" @ONLY)
  target_sources(${target} PRIVATE "${made}")
endfunction()
