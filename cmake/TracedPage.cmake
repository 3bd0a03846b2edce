# The page of `tracectl report --html`: its styles and scripts are files of their own, which are put
# into tracectl when it is built, with the hashes by which a browser knows them.

# traced_base64_sha256(VARIABLE TEXT)
function(traced_base64_sha256 variable text)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  # 32 bytes are 10 times three, and two.
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

# traced_page_parts(TARGET) adds report/html/page_parts.cc to a target of this folder.
function(traced_page_parts target)
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/report/html")
  set(style_files page.css)
  set(script_files
    base.js chart.js steps.js heat.js waits.js links.js speeds.js lateness.js groups.js tables.js
    page.js)
  foreach(kind style script)
    set(${kind}_text "\n")
    foreach(file IN LISTS ${kind}_files)
      file(READ "${folder}/${file}" text)
      string(APPEND ${kind}_text "${text}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${file}")
    endforeach()
    traced_base64_sha256(${kind}_hash "${${kind}_text}")
  endforeach()
  set(made "${CMAKE_CURRENT_BINARY_DIR}/report/html/page_parts.cc")
  configure_file("${folder}/page_parts.cc.in" "${made}" @ONLY)
  target_sources(${target} PRIVATE "${made}")
endfunction()
