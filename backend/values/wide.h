// TRACED_WIDE compiles a function for two kinds of processors. The loader
// selects one.

#pragma once

// The loader runs the selection before a sanitizer is ready.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TRACED_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TRACED_WIDE
#endif
