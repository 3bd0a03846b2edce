# Adds a target with headers and libraries for each torch in TRACED_TORCHES, such as traced_torch_2_15.
#
#   TRACED_TORCH_RELEASES         all of them: "2_15"
#   TRACED_TORCH_ROOT_2_15        the folder of torch
#   TRACED_TORCH_VERSION_2_15     "2.15.0"
#   TRACED_TORCH_GENERATED_2_15   the folder of the headers generated for it
#
# Tests and benchmarks use the first one: traced_torch, TRACED_TORCH_VERSION, TRACED_TORCH_LIB_DIR.
#
# Does not use find_package(Torch), which requires a CUDA toolkit and links CUDA's libraries. The
# extension must load with a CPU build of torch.

set(TRACED_TORCHES "" CACHE STRING
  "Folders of torch to build extensions for (default: the one that Python_EXECUTABLE imports)")

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)

# torch ships headers of another protobuf. This folder comes first in the include path.
set(protobuf_first "${PROJECT_BINARY_DIR}/protobuf_first")
file(MAKE_DIRECTORY "${protobuf_first}")
file(CREATE_LINK "${TRACED_PROTOBUF_INCLUDE_DIR}/google" "${protobuf_first}/google" SYMBOLIC)

# traced_imported_torch(VARIABLE) sets VARIABLE to the folder of the torch that the interpreter imports.
function(traced_imported_torch variable)
  # Without autoloading, so that torch does not import an installed traced.
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env TORCH_DEVICE_BACKEND_AUTOLOAD=0
      "${Python_EXECUTABLE}" -c "import pathlib, torch; print(pathlib.Path(torch.__file__).parent)"
    OUTPUT_VARIABLE root
    ERROR_VARIABLE torch_error
    RESULT_VARIABLE torch_failed
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(torch_failed)
    string(REGEX REPLACE "^.*\n([^\n]+)\n*$" "\\1" torch_error "${torch_error}")
    message(FATAL_ERROR
      "${Python_EXECUTABLE} cannot import torch (${torch_error}): install it with "
      "`pip install torch==2.15.0` and build with --no-build-isolation, or leave "
      "the backend out with -DTRACED_BUILD_BACKEND=OFF.")
  endif()
  set(${variable} "${root}" PARENT_SCOPE)
endfunction()

# traced_add_torch(ROOT) adds the target of one torch, and its release to TRACED_TORCH_RELEASES.
function(traced_add_torch root)
  file(STRINGS "${root}/version.py" line REGEX "^__version__ = " LIMIT_COUNT 1)
  if(NOT line MATCHES "(([0-9]+)\\.([0-9]+)\\.[0-9]+)")
    message(FATAL_ERROR "${root}/version.py does not tell which torch it is.")
  endif()
  set(version "${CMAKE_MATCH_1}")
  set(release "${CMAKE_MATCH_2}_${CMAKE_MATCH_3}")
  message(STATUS "Found torch ${version}: ${root}")

  set(target traced_torch_${release})
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE
    "${protobuf_first}"
    "${root}/include"
    "${root}/include/torch/csrc/api/include"
    ${Python_INCLUDE_DIRS})
  # backend/c10d writes headers for this torch into it.
  set(generated "${PROJECT_BINARY_DIR}/backend/c10d/generated/${release}")
  target_include_directories(${target} INTERFACE "${generated}")
  target_compile_definitions(${target} INTERFACE
    _GLIBCXX_USE_CXX11_ABI=1 TRACED_TORCH_VERSION="${version}")
  target_link_libraries(${target} INTERFACE
    "${root}/lib/libtorch_python.so" "${root}/lib/libtorch_cpu.so" "${root}/lib/libc10.so")

  set(TRACED_TORCH_ROOT_${release} "${root}" PARENT_SCOPE)
  set(TRACED_TORCH_GENERATED_${release} "${generated}" PARENT_SCOPE)
  set(TRACED_TORCH_VERSION_${release} "${version}" PARENT_SCOPE)
  list(APPEND TRACED_TORCH_RELEASES ${release})
  set(TRACED_TORCH_RELEASES ${TRACED_TORCH_RELEASES} PARENT_SCOPE)
endfunction()

set(torch_roots ${TRACED_TORCHES})
if(NOT torch_roots)
  traced_imported_torch(torch_roots)
endif()
set(TRACED_TORCH_RELEASES "")
foreach(root IN LISTS torch_roots)
  traced_add_torch("${root}")
endforeach()

list(GET TRACED_TORCH_RELEASES 0 first_torch)
add_library(traced_torch ALIAS traced_torch_${first_torch})
set(TRACED_TORCH_VERSION "${TRACED_TORCH_VERSION_${first_torch}}")
set(TRACED_TORCH_LIB_DIR "${TRACED_TORCH_ROOT_${first_torch}}/lib")
