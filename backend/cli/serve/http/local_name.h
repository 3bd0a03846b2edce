// Tells whether the Host of a request is a name that only this host can have.

#pragma once

#include <string_view>

namespace traced {

// Accepts an IP address or "localhost", with or without a port. A web page of
// another site can make its own name resolve to this host (DNS rebinding), but
// its requests still carry that name.
bool isLocalName(std::string_view host);

}  // namespace traced
