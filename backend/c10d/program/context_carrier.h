// Contexts in the threads that PyTorch lets work for another one: of the
// autograd engine, and of TorchScript's fork.

#pragma once

namespace traced {

// From the next context that a thread of the process enters.
void carryContexts();

}  // namespace traced
