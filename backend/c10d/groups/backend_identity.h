// What a backend is: anybody may write one, under any name.

#pragma once

#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace traced {

// What it calls itself, or `known_as` where it tells no name.
std::string backendName(const c10d::Backend& backend,
                        const std::string& known_as);

// The class that carries operations out, of C++ or Python: "acme::Backend",
// "acme.AcmeBackend". "" where it is torch's own, or torch's checks around such
// a one. Needs the GIL.
std::string foreignClass(const c10::intrusive_ptr<c10d::Backend>& backend);

}  // namespace traced
