# Toolchain file: compiles for Linux with glibc 2.31, with the compiler of this machine.
# scripts/oldest_linux creates the folder TRACED_OLDEST_LINUX.

# CMake's compiler checks need the variable as well.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRACED_OLDEST_LINUX)
foreach(language ASM C CXX)
  set(CMAKE_${language}_FLAGS_INIT "--sysroot=${TRACED_OLDEST_LINUX}")
endforeach()
# -B selects the old start files (crt1.o). The newer ones rely on libc to run constructors, and the
# old libc does not.
set(link "-B${TRACED_OLDEST_LINUX}/usr/lib/x86_64-linux-gnu -L${TRACED_OLDEST_LINUX}/stdc++")
foreach(folder usr/lib lib)
  string(APPEND link " -L${TRACED_OLDEST_LINUX}/${folder}/x86_64-linux-gnu")
endforeach()
foreach(kind EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${link}")
endforeach()
