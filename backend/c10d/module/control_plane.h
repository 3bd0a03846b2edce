// Handlers of torch's control plane: a worker server of the process's answers
// with them in a thread of its own, also while another thread holds the GIL.

#pragma once

namespace traced {

// Registers them, once in a process.
void registerHandlers() noexcept;

}  // namespace traced
