# Embeds Python programs that tracectl runs. Any Python can run them, without this project installed.

# traced_python_program(TARGET NAME FILE) adds the constant NAME, the text of FILE, to a target of
# this folder.
function(traced_python_program target program_name file)
  set(file "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  file(READ "${file}" program_text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  set(made "${CMAKE_CURRENT_BINARY_DIR}/${program_name}.cc")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/python_program.cc.in" "${made}" @ONLY)
  target_sources(${target} PRIVATE "${made}")
endfunction()
