# traced_torch: the headers and libraries of the torch that the Python
# interpreter in use (Python_EXECUTABLE) imports. Also sets TRACED_TORCH_VERSION
# ("2.15.0"), TRACED_TORCH_INCLUDE_DIR and TRACED_TORCH_LIB_DIR.
#
# Not find_package(Torch): it demands a CUDA toolkit and links CUDA's libraries,
# and the extension shall load with a CPU build of torch as well.

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)

# Without autoloading, or importing torch would import an installed traced.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env TORCH_DEVICE_BACKEND_AUTOLOAD=0
    "${Python_EXECUTABLE}" -c [[
import pathlib
import torch
root = pathlib.Path(torch.__file__).parent
print(root, torch.__version__.split("+")[0], int(torch.compiled_with_cxx11_abi()), sep=";")
]]
  OUTPUT_VARIABLE torch_facts
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

list(GET torch_facts 0 torch_root)
list(GET torch_facts 1 TRACED_TORCH_VERSION)
list(GET torch_facts 2 torch_cxx11_abi)
set(TRACED_TORCH_INCLUDE_DIR "${torch_root}/include")
set(TRACED_TORCH_LIB_DIR "${torch_root}/lib")
message(STATUS "Found torch ${TRACED_TORCH_VERSION}: ${torch_root}")

# torch ships headers of another protobuf. Where a target sees both, ours must
# be found first.
set(protobuf_first "${PROJECT_BINARY_DIR}/protobuf_first")
list(GET Protobuf_INCLUDE_DIRS 0 protobuf_include_dir)
file(MAKE_DIRECTORY "${protobuf_first}")
file(CREATE_LINK "${protobuf_include_dir}/google" "${protobuf_first}/google" SYMBOLIC)

add_library(traced_torch INTERFACE)
target_include_directories(traced_torch SYSTEM INTERFACE
  "${protobuf_first}"
  "${TRACED_TORCH_INCLUDE_DIR}"
  "${TRACED_TORCH_INCLUDE_DIR}/torch/csrc/api/include"
  ${Python_INCLUDE_DIRS})
target_compile_definitions(traced_torch INTERFACE
  _GLIBCXX_USE_CXX11_ABI=${torch_cxx11_abi}
  TRACED_TORCH_VERSION="${TRACED_TORCH_VERSION}")
target_link_libraries(traced_torch INTERFACE
  "${TRACED_TORCH_LIB_DIR}/libtorch_python.so"
  "${TRACED_TORCH_LIB_DIR}/libtorch_cpu.so"
  "${TRACED_TORCH_LIB_DIR}/libc10.so")
