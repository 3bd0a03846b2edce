// Whether processes of this host wait for processors.

#pragma once

namespace traced {

// By the kernel's pressure stall information: for most of the last 10 s
// somebody who could have run did not. False where the kernel does not tell.
bool isStarved();

}  // namespace traced
