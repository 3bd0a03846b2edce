// The loader's list of what is loaded, read so that a fork of this process is
// safe.

#pragma once

#include <link.h>

#include <cstddef>

namespace traced {

// As dl_iterate_phdr(), but never while this process forks. glibc (2.36 at
// least) leaves the lock of the list in the child as it is, and in the child
// nobody opens what one of our threads has locked: whoever then loads a library
// waits for ever.
void visitLoaded(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data);

}  // namespace traced
