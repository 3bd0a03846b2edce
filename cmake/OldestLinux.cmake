# A toolchain file: this machine's compiler, for Linux as it was when glibc was 2.31.
# scripts/oldest_linux makes the folder TRACED_OLDEST_LINUX.

# What asks whether the compiler works gets it, too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRACED_OLDEST_LINUX)
foreach(language ASM C CXX)
  set(CMAKE_${language}_FLAGS_INIT "--sysroot=${TRACED_OLDEST_LINUX}")
endforeach()
# -B: a program's first instructions are of then, too. With newer ones its constructors would be
# left to a libc that does not call them.
set(link "-B${TRACED_OLDEST_LINUX}/usr/lib/x86_64-linux-gnu -L${TRACED_OLDEST_LINUX}/stdc++")
foreach(folder usr/lib lib)
  string(APPEND link " -L${TRACED_OLDEST_LINUX}/${folder}/x86_64-linux-gnu")
endforeach()
foreach(kind EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${link}")
endforeach()
